import t, { type Test } from 'tap'
import { type Address, type Hex, parseAbi, toHex, zeroAddress } from 'viem'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import type { RawLog } from '../../support/hostile/logs.ts'
import { clankerV4Events, poolManagerEvents } from '../../support/launchpads/abi.ts'
import { encodeLog } from '../../support/launchpads/emitter.ts'
import { startEmitters } from '../fixtures/emitters.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

/** A service that follows contracts of the kinds of Clanker v4 and of the manager of its pools that emit any logs. */
const startHostile = (t: Test) =>
  startEmitters(t, {
    names: ['clanker', 'manager', 'token', 'other', 'fake'],
    followed: { clanker: 'clanker-v4', manager: 'uniswap-v4-pool-manager' },
  })

const ONE = 2n ** 96n
const [POOL, POOL_B] = [toHex(1, { size: 32 }), toHex(2, { size: 32 })] as const
const erc20Events = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])

const launch = (tokenAddress: Address, tokenAdmin: Address, poolId: Hex = POOL, pairedToken: Address = zeroAddress) =>
  encodeLog(clankerV4Events, 'TokenCreated', {
    ...{ tokenAddress, tokenAdmin, poolId, pairedToken, msgSender: tokenAdmin, tokenImage: '', tokenName: 'n' },
    ...{ tokenSymbol: 's', tokenMetadata: '', tokenContext: '', startingTick: -1, poolHook: tokenAdmin },
    ...{ locker: tokenAdmin, mevModule: tokenAdmin, extensionsSupply: 2n ** 255n, extensions: [] },
  })
const initialize = (id: Hex = POOL, sqrtPriceX96 = ONE) =>
  encodeLog(poolManagerEvents, 'Initialize', {
    ...{ id, currency0: zeroAddress, currency1: zeroAddress, fee: 0, tickSpacing: 1, hooks: zeroAddress },
    ...{ sqrtPriceX96, tick: 0 },
  })
const swap = (amount0: bigint, amount1: bigint, { id = POOL as Hex, sqrtPriceX96 = ONE } = {}) =>
  encodeLog(poolManagerEvents, 'Swap', {
    ...{ id, sender: toHex(77, { size: 20 }), amount0, amount1, sqrtPriceX96, liquidity: 1n, tick: 0, fee: 0 },
  })
const transfer = (from: Address, to: Address, value: bigint) => encodeLog(erc20Events, 'Transfer', { from, to, value })

t.test('only logs of the configured manager about the pool of a launch count', async (t) => {
  const { say, emitters, ann, bob, index, readTokens, findDifferences, db } = await startHostile(t)
  const { token, manager } = emitters
  await say(['manager', initialize()], ['manager', swap(-3n, 7n)])
  await say(['manager', initialize()], ['clanker', launch(token, ann)], ['fake', launch(token, bob)])
  const buy: [by: 'token', log: RawLog] = ['token', transfer(manager, bob, 7n)]
  await say(['fake', swap(-3n, 7n)], ['clanker', swap(-3n, 7n)], buy)
  await say(['manager', swap(-3n, 7n, { id: POOL_B })], buy)
  await index()
  t.match(await readTokens(), [{ token, pool: POOL, price: 1, trades_total: 0, status: 'graduated' }])
  t.strictSame(await findDifferences(), [])
  await say(['manager', swap(-3n, 7n)], buy)
  await index()
  t.match(await readTokens(), [{ trades_total: 1 }])
  t.match(await db.selectFrom('readable_trades').selectAll().execute(), [{ trader: bob, quote_amount: '3' }])
  t.strictSame(await findDifferences(), [])
})

t.test('a pool that is opened twice, huge values and broken logs', async (t) => {
  const { say, emitters, ann, bob, index, readTokens, findDifferences, db } = await startHostile(t)
  const { token, manager } = emitters
  const cut = ({ topics, data }: RawLog, bytes: number): RawLog => ({ topics, data: data.slice(0, -2 * bytes) as Hex })
  const MOST = 2n ** 127n - 1n
  const [least, greatest] = [
    4_295_128_739n,
    1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n,
  ] as const
  await say(
    ['manager', swap(-1n, 1n)],
    ['manager', initialize(POOL, 4n * ONE)],
    ['manager', initialize()],
    ['clanker', launch(token, ann)],
    ['manager', initialize(POOL, 2n * ONE)],
  )
  await index()
  t.match(await readTokens(), [{ pool: POOL, price: 1 / 4, trades_total: 1 }])
  t.strictSame(await findDifferences(), [], 'the first log is the first price')
  await say(
    ['manager', swap(-MOST, MOST, { sqrtPriceX96: greatest })],
    ['token', transfer(manager, bob, MOST)],
    ['manager', swap(-(2n ** 127n), 1n, { sqrtPriceX96: least })],
    ['manager', swap(MOST, -(2n ** 127n), { sqrtPriceX96: least })],
    ['token', transfer(ann, manager, 2n ** 127n)],
    ['token', transfer(manager, bob, 2n ** 256n - 1n)],
    ['manager', swap(-1n, 1n, { sqrtPriceX96: greatest + 1n })],
    ['manager', swap(-1n, 1n, { sqrtPriceX96: 0n })],
    ['manager', swap(1n, 1n)],
    ['manager', swap(0n, 0n)],
    ['manager', cut(swap(-1n, 1n), 32)],
    ['manager', cut(initialize(), 32)],
    ['manager', { topics: swap(-1n, 1n).topics.slice(0, 2), data: swap(-1n, 1n).data }],
    ['manager', { topics: swap(-1n, 1n).topics.slice(0, 1), data: swap(-1n, 1n).data }],
    ['manager', { topics: [], data: '0x' }],
    ['clanker', cut(launch(token, bob), 32)],
  )
  await index()
  t.match(await readTokens(), [{ price: 1, trades_total: 4 }])
  const trades = await db
    .selectFrom('readable_trades')
    .selectAll()
    .orderBy('block_number')
    .orderBy('log_index')
    .execute()
  const router = toHex(77, { size: 20 })
  t.strictSame(
    trades.map(({ side, trader, trader_known }) => [side, trader, trader_known]),
    [
      ['buy', router, false],
      ['buy', bob, true],
      ['buy', router, false],
      ['sell', ann, true],
    ],
    'a transfer of more than 128 bits is none',
  )
  t.strictSame(await findDifferences(), [])
  const tables = await readTables(db)
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), tables), [])
})

t.test('a token that is launched in the pool of another one has none, and the first launch counts', async (t) => {
  const { say, emitters, ann, bob, node, index, readTokens, findDifferences } = await startHostile(t)
  const { token, other } = emitters
  const begin = (one: Address, by: Address) => say(['manager', initialize()], ['clanker', launch(one, by)])
  await begin(token, ann)
  await begin(other, bob)
  await say(['clanker', launch(token, bob, POOL_B)], ['manager', initialize(POOL_B, 2n * ONE)])
  await index()
  t.match(await readTokens(), [
    { token, pool: POOL, status: 'graduated', price: 1 },
    { token: other, pool: null, status: 'curve', price: 0 },
  ])
  t.strictSame(await findDifferences(), [])
  await node.reorg(3)
  await begin(other, bob)
  await index()
  t.match(await readTokens(), [{ token: other, pool: POOL, status: 'graduated' }], 'after a reorg it is the first')
  t.strictSame(await findDifferences(), [])
})

t.test('addresses that play several parts keep their first one', async (t) => {
  const { say, emitters, ann, deployed, index, readTokens, findDifferences } = await startHostile(t)
  const { manager, clanker, token } = emitters
  await say(['manager', initialize()], ['clanker', launch(manager, ann)])
  await say(['manager', initialize(POOL_B)], ['clanker', launch(clanker, ann, POOL_B)])
  const [third, fourth] = [toHex(3, { size: 32 }), toHex(4, { size: 32 })]
  await say(['manager', initialize(third)], ['clanker', launch(token, ann, third, deployed.weth)])
  await say(['manager', initialize(fourth)], ['clanker', launch(deployed.weth, ann, fourth)])
  await say(
    ['manager', swap(-3n, 7n)],
    ['manager', transfer(manager, ann, 7n)],
    ['manager', swap(-3n, 7n, { id: POOL_B })],
    ['clanker', transfer(manager, ann, 7n)],
    ['token', swap(-3n, 7n, { id: third })],
  )
  await index()
  t.equal((await readTokens()).length, 4)
  t.strictSame(await findDifferences(), [])
})
