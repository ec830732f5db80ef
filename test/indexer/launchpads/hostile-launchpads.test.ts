import t, { type Test } from 'tap'
import { type Address, parseEther, toEventSelector, toHex } from 'viem'
import { resolveContracts } from '../../../indexer/contracts.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import type { TestChain } from '../../support/chain-fixture.ts'
import type { RawLog } from '../../support/hostile/logs.ts'
import { toData, toWord } from '../../support/hostile/logs.ts'
import { nadFunEvents } from '../../support/launchpads/abi.ts'
import { deployEmitter, emitLogs, encodeLog } from '../../support/launchpads/emitter.ts'
import { topics } from '../../support/launchpads/topics.ts'
import { startAudited } from '../fixtures/audited.ts'

t.setTimeout(400_000)

/** A service that follows our launchpad, and one of the kind of nad.fun that emits any logs. */
async function startHostile(t: Test) {
  const emitters: Record<'nadFun' | 'token' | 'pool', Address> = { nadFun: '0x', token: '0x', pool: '0x' }
  const audited = await startAudited(t, {}, async (test: TestChain) => {
    for (const name of ['nadFun', 'token', 'pool'] as const) emitters[name] = await deployEmitter(test)
    const startBlock = Number(test.deployed.startBlock)
    const more = { kind: 'nad-fun' as const, address: emitters.nadFun, startBlock }
    const config = { ...test.config, deployments: [...test.config.deployments, more] }
    return { ...test, config, contracts: await resolveContracts(test.chain, config) }
  })
  const { db, node, accounts } = audited
  const [, ann, bob, eve] = accounts as [Address, Address, Address, Address]
  return {
    ...audited,
    ...{ emitters, ann, bob },
    /** In one transaction, in a block of its own. */
    say: (by: keyof typeof emitters, ...logs: RawLog[]) => node.run(emitLogs(eve, emitters[by], logs)),
    readToken: (token: Address) =>
      db.selectFrom('readable_token_figures').selectAll().where('token', '=', token).executeTakeFirst(),
    /** Emitters have no state to compare with. */
    findDifferences: async () =>
      (await audited.findDifferences()).filter((line) => !/ does not answer \w+$/.test(line)),
  }
}

const create = (token: Address, creator: Address, pool: Address, targetTokenAmount = 100n) =>
  encodeLog(nadFunEvents, 'CurveCreate', {
    ...{ creator, token, pool, name: 'n', symbol: 's', tokenURI: 'u' },
    ...{ virtualMon: 100n, virtualToken: 1_000n, targetTokenAmount },
  })

t.test('a pool whose address another launchpad launches as a token stays a pool', async (t) => {
  const { say, ann, bob, node, deployed, index, readToken, findDifferences } = await startHostile(t)
  const act = makeActions(deployed)
  const [receipt] = await node.run(act.launch(ann, 'FAIR', parseEther('0.5')))
  const fair = launchedToken(receipt!)
  await node.run(act.buy(ann, fair, parseEther('10')))
  await node.run(act.graduate(bob, fair), act.swapBuy(bob, fair, parseEther('1')))
  await index()
  const before = await readToken(fair)
  await say('nadFun', create(before!.pool as Address, ann, toHex(1, { size: 20 })))
  await node.run(act.swapBuy(bob, fair, parseEther('1')))
  await index()
  const after = await readToken(fair)
  t.equal(after!.trades_total, before!.trades_total + 1)
  t.ok(after!.price > before!.price)
  // As a token it is not what the launchpad says: its shares were minted before.
  const differences = await findDifferences()
  t.strictSame(
    differences.filter((line) => !line.startsWith(`token ${before!.pool} `)),
    [],
  )
})

t.test('a curve that ends above its start, or at nothing, is no launch', async (t) => {
  const { say, emitters, ann, index, db, findDifferences } = await startHostile(t)
  const { token, pool } = emitters
  for (const end of [0n, 1_001n]) await say('nadFun', create(token, ann, pool, end))
  await index()
  t.strictSame(await db.selectFrom('tokens').select('address').execute(), [])
  t.strictSame(await findDifferences(), [])
  await say('nadFun', create(token, ann, pool, 1_000n))
  await index()
  t.strictSame(await db.selectFrom('tokens').select('address').execute(), [{ address: token }])
})

t.test('the first launch and the first graduation of a token count', async (t) => {
  const { say, emitters, ann, bob, index, db, readToken, findDifferences } = await startHostile(t)
  const { token, pool } = emitters
  const graduate = (to: Address) => encodeLog(nadFunEvents, 'CurveGraduate', { token, pool: to })
  await say(
    'nadFun',
    create(token, ann, pool),
    create(token, bob, pool),
    graduate(pool),
    graduate(toHex(1, { size: 20 })),
  )
  await index()
  t.strictSame(await db.selectFrom('tokens').select('creator').execute(), [{ creator: ann }])
  t.match(await readToken(token), { pool })
  t.strictSame(await findDifferences(), [])
})

t.test('logs of another type of pool mean nothing in a pool', async (t) => {
  const { say, emitters, ann, index, db, findDifferences } = await startHostile(t)
  const { token, pool } = emitters
  await say('nadFun', create(token, ann, pool), encodeLog(nadFunEvents, 'CurveGraduate', { token, pool }))
  await say(
    'pool',
    { topics: [topics.sync], data: toData(7n, 1_000n) },
    { topics: [topics.swap, toWord(ann), toWord(ann)], data: toData(0n, 5n, 9n, 0n) },
  )
  await index()
  t.strictSame(await db.selectFrom('readable_trades').selectAll().execute(), [])
  t.strictSame(await findDifferences(), [])
  await say('pool', { topics: [toEventSelector('Initialize(uint160,int24)')], data: toData(2n ** 96n, 0n) })
  await index()
  t.equal((await db.selectFrom('readable_pool_states').selectAll().execute()).length, 1, 'its own are read')
  t.strictSame(await findDifferences(), [])
})

t.test('reserves that were logged before the launch are of no trade', async (t) => {
  const { say, emitters, ann, index, db, findDifferences } = await startHostile(t)
  const { token, pool } = emitters
  const state = (reserve: bigint) =>
    encodeLog(nadFunEvents, 'CurveSync', {
      ...{ token, realMonReserve: reserve, realTokenReserve: reserve },
      ...{ virtualMonReserve: reserve, virtualTokenReserve: reserve + 100n },
    })
  const buy = encodeLog(nadFunEvents, 'CurveBuy', { sender: ann, token, amountIn: 5n, amountOut: 5n })
  await say('nadFun', state(11n), create(token, ann, pool), buy, state(22n))
  await index()
  const trades = await db.selectFrom('readable_trades').selectAll().execute()
  t.match(
    trades.map(({ virtual_quote }) => virtual_quote),
    ['22'],
  )
  t.equal(trades.length, 1)
  t.strictSame(await findDifferences(), [])
  await say('nadFun', buy)
  await index()
  t.equal(
    (await db.selectFrom('readable_trades').selectAll().execute()).length,
    1,
    'a trade without reserves is rejected',
  )
  t.strictSame(await findDifferences(), [])
})
