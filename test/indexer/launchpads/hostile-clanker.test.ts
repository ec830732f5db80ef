import t, { type Test } from 'tap'
import type { Address } from 'viem'
import { clankerV31Events, venueEvents } from '../../support/launchpads/abi.ts'
import { encodeLog } from '../../support/launchpads/emitter.ts'
import { startEmitters } from '../fixtures/emitters.ts'

t.setTimeout(400_000)

/** A service that follows contracts of the kinds of Clanker v3.1 and of its factory that emit any logs. */
const startHostile = (t: Test) =>
  startEmitters(t, {
    names: ['clanker', 'factory', 'token', 'other', 'pool', 'fake'],
    followed: { clanker: 'clanker-v31', factory: 'uniswap-v3-factory' },
  })

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
