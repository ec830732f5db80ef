import t, { type Test } from 'tap'
import { type Address, encodeDeployData, encodeFunctionData, type Hex, toHex } from 'viem'
import { batcherAbi } from '../../../contracts/artifacts/abi/batcher.ts'
import batcherArtifact from '../../../contracts/artifacts/Batcher.json' with { type: 'json' }
import { resolveContracts } from '../../../indexer/contracts.ts'
import type { TestChain } from '../../support/chain-fixture.ts'
import type { RawLog } from '../../support/hostile/logs.ts'
import { clankerV31Events, venueEvents } from '../../support/launchpads/abi.ts'
import { deployEmitter, emitLogs, encodeLog } from '../../support/launchpads/emitter.ts'
import { deploy } from '../../support/launchpads/venue.ts'
import { startAudited } from '../fixtures/audited.ts'

t.setTimeout(400_000)

const NAMES = ['clanker', 'factory', 'token', 'other', 'pool', 'fake'] as const
type Name = (typeof NAMES)[number]

/** A service that follows contracts of the kinds of Clanker and of its factory that emit any logs. */
async function startHostile(t: Test) {
  const emitters = {} as Record<Name, Address>
  let batcher: Address
  const audited = await startAudited(t, {}, async (test: TestChain) => {
    for (const name of NAMES) emitters[name] = await deployEmitter(test)
    batcher = await deploy(test, encodeDeployData({ abi: batcherAbi, bytecode: batcherArtifact.bytecode as Hex }))
    const startBlock = Number(test.deployed.startBlock)
    const more = [
      { kind: 'clanker-v31' as const, address: emitters.clanker, startBlock },
      { kind: 'uniswap-v3-factory' as const, address: emitters.factory, startBlock },
    ]
    const config = { ...test.config, deployments: [...test.config.deployments, ...more] }
    return { ...test, config, contracts: await resolveContracts(test.chain, config) }
  })
  const { db, node, accounts } = audited
  const [, ann, bob, eve] = accounts as [Address, Address, Address, Address]
  const toAction = (said: [by: Name, log: RawLog][]) => {
    const calls = said.map(([by, log]) => ({
      ...{ account: toHex(0, { size: 20 }), target: emitters[by], value: 0n },
      data: emitLogs(eve, emitters[by], [log]).data as Hex,
    }))
    const data = encodeFunctionData({ abi: batcherAbi, functionName: 'run', args: [calls] })
    return { from: eve, to: batcher!, gas: 10_000_000n, data }
  }
  return {
    ...audited,
    ...{ emitters, ann, bob },
    /** In one transaction, in a block of its own. */
    say: (...said: [by: Name, log: RawLog][]) => node.run(toAction(said)),
    /** Each in a transaction of its own, in one block. */
    sayApart: (...said: [by: Name, log: RawLog][]) => node.run(...said.map((one) => toAction([one]))),
    readTokens: () => db.selectFrom('readable_token_figures').selectAll().orderBy('created_block').execute(),
    /** Emitters have no state to compare with. */
    findDifferences: async () =>
      (await audited.findDifferences()).filter((line) => !/ does not answer \w+$/.test(line)),
  }
}

const launch = (token: Address, creator: Address) =>
  encodeLog(clankerV31Events, 'TokenCreated', {
    ...{ tokenAddress: token, creatorAdmin: creator, interfaceAdmin: creator, creatorRewardRecipient: creator },
    ...{ interfaceRewardRecipient: creator, positionId: 2n ** 255n, name: 'n', symbol: 's', metadata: '' },
    ...{ startingTickIfToken0IsNewToken: -1, amountTokensBought: 2n ** 255n, vaultDuration: 0n, vaultPercentage: 0 },
    msgSender: creator,
  })
const createPool = (token: Address, other: Address, pool: Address) =>
  encodeLog(venueEvents, 'PoolCreated', {
    ...{ token0: token < other ? token : other, token1: token < other ? other : token },
    ...{ fee: 10_000, tickSpacing: 200, pool },
  })
const initialize = encodeLog(venueEvents, 'Initialize', { sqrtPriceX96: 2n ** 96n, tick: 0 })

t.test('only what a configured factory creates in the transaction of a launch is its pool', async (t) => {
  const { say, sayApart, emitters, ann, deployed, index, readTokens, findDifferences, db } = await startHostile(t)
  const { token, pool, fake } = emitters
  const { weth } = deployed
  await say(['fake', createPool(token, weth, fake)], ['clanker', launch(token, ann)])
  await say(['clanker', createPool(token, weth, fake)], ['clanker', launch(token, ann)])
  await sayApart(['factory', createPool(token, weth, pool)], ['clanker', launch(token, ann)])
  await say(['clanker', launch(token, ann)], ['factory', createPool(token, weth, pool)])
  await index()
  t.strictSame(await readTokens(), [], 'by another contract, in another transaction, or after the launch')
  t.strictSame(await findDifferences(), [])
  await say(
    ['factory', createPool(token, weth, fake)],
    ['factory', createPool(token, weth, pool)],
    ['pool', initialize],
    ['clanker', launch(token, ann)],
    ['clanker', launch(token, fake)],
  )
  await index()
  t.match(await readTokens(), [{ token, pool, status: 'graduated', price: 1, graduated_at: null }])
  t.match(await db.selectFrom('tokens').select('creator').execute(), [{ creator: ann }], 'the first launch counts')
  t.strictSame(await findDifferences(), [])
})

t.test('a token that is launched in the pool of another one has none', async (t) => {
  const { say, emitters, ann, bob, deployed, node, index, readTokens, findDifferences } = await startHostile(t)
  const { token, other, pool } = emitters
  const { weth } = deployed
  const begin = (one: Address, by: Address) =>
    say(['factory', createPool(one, weth, pool)], ['pool', initialize], ['clanker', launch(one, by)])
  await begin(token, ann)
  await begin(other, bob)
  await index()
  t.match(await readTokens(), [
    { token, pool, status: 'graduated' },
    { token: other, pool: null, status: 'curve', price: 0 },
  ])
  t.strictSame(await findDifferences(), [])
  await say(['pool', initialize])
  await index()
  t.strictSame(await findDifferences(), [])
  await node.reorg(3)
  await begin(other, bob)
  await index()
  t.match(await readTokens(), [{ token: other, pool, status: 'graduated' }], 'after a reorg it is the first')
  t.strictSame(await findDifferences(), [])
})
