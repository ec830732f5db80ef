import t, { type Test } from 'tap'
import { type Address, type Hex, toHex, zeroAddress } from 'viem'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import type { RawLog } from '../../support/hostile/logs.ts'
import { nadFunEvents, venueEvents } from '../../support/launchpads/abi.ts'
import { encodeLog } from '../../support/launchpads/emitter.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { startEmitters } from '../fixtures/emitters.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

/** A service that follows two contracts of the kind of nad.fun that emit any logs. */
async function startHostile(t: Test) {
  const service = await startEmitters(t, {
    names: ['launchpad', 'rival', 'token', 'other', 'pool', 'fake'],
    followed: { launchpad: 'nad-fun', rival: 'nad-fun' },
  })
  const { db } = service
  return {
    ...service,
    readTrades: () =>
      db.selectFrom('readable_trades').selectAll().orderBy('block_number').orderBy('log_index').execute(),
    compareRebuild: async (t: Test) => {
      const tables = await readTables(db)
      await reindex(db, modules)
      t.strictSame(diffTables(await readTables(db), tables), [])
    },
  }
}

const MOST = 2n ** 128n - 1n
const HUGE = 2n ** 256n - 1n
const log = (name: string, args: Record<string, unknown>) => encodeLog(nadFunEvents, name, args)
const create = (token: Address, creator: Address, changes: Record<string, unknown> = {}) =>
  log('CurveCreate', {
    ...{ creator, token, pool: creator, name: 'n', symbol: 's', tokenURI: 'u' },
    ...{ virtualMon: 1_000n, virtualToken: 2_000n, targetTokenAmount: 500n, ...changes },
  })
const trade = (name: 'CurveBuy' | 'CurveSell', token: Address, sender: Address, amountIn = 5n, amountOut = 7n) =>
  log(name, { token, sender, amountIn, amountOut })
const state = (token: Address, virtual = 1_500n, changes: Record<string, unknown> = {}) =>
  log('CurveSync', {
    ...{ token, realMonReserve: 500n, realTokenReserve: virtual, virtualMonReserve: 1_500n },
    ...{ virtualTokenReserve: virtual, ...changes },
  })
const locked = (token: Address) => log('CurveTokenLocked', { token })
const graduate = (token: Address, pool: Address) => log('CurveGraduate', { token, pool })
const transfer = (from: Address, to: Address, value: bigint) => encodeLog(venueEvents, 'Transfer', { from, to, value })
const initialize = (sqrtPriceX96 = 2n ** 96n) => encodeLog(venueEvents, 'Initialize', { sqrtPriceX96, tick: 0 })
const swap = (amount0: bigint, amount1: bigint, recipient: Address, sqrtPriceX96 = 2n ** 96n) =>
  encodeLog(venueEvents, 'Swap', {
    sender: recipient,
    recipient,
    amount0,
    amount1,
    sqrtPriceX96,
    liquidity: 1n,
    tick: 0,
  })
const cut = ({ topics, data }: RawLog, bytes: number): RawLog => ({ topics, data: data.slice(0, 2 + 2 * bytes) as Hex })
const fewer = ({ topics, data }: RawLog): RawLog => ({ topics: topics.slice(0, -1), data })
/** The same log with other bits above an address in its topics. */
const dirty = ({ topics, data }: RawLog): RawLog => ({
  topics: topics.map((topic, index) => (index === 0 ? topic : (`0x${'f'.repeat(24)}${topic.slice(26)}` as Hex))),
  data,
})

t.test('launches that are incomplete or out of bounds have no effect', async (t) => {
  const { say, emitters, ann, index, readTokens, findDifferences, compareRebuild } = await startHostile(t)
  const { token, other } = emitters
  const whole = create(token, ann)
  for (const bytes of [0, 31, 96, 191, 192, 224, 256, 288, 320]) await say(['launchpad', cut(whole, bytes)])
  await say(['launchpad', fewer(whole)], ['launchpad', { topics: whole.topics, data: `0x${'ff'.repeat(448)}` }])
  for (const changes of [
    { virtualMon: MOST + 1n },
    { virtualToken: HUGE },
    { targetTokenAmount: HUGE, virtualToken: HUGE },
    { targetTokenAmount: 0n },
    { targetTokenAmount: 2_001n },
    { virtualMon: MOST, virtualToken: MOST, targetTokenAmount: 1n },
    { virtualMon: MOST, virtualToken: 2_000n, targetTokenAmount: 999n },
  ])
    await say(['launchpad', create(token, ann, changes)])
  await say(['fake', whole])
  await index()
  t.strictSame(await readTokens(), [])
  t.strictSame(await findDifferences(), [])
  await say(
    ['token', transfer(zeroAddress, ann, MOST)],
    ['token', transfer(zeroAddress, ann, MOST)],
    ['token', transfer(zeroAddress, ann, HUGE)],
    ['launchpad', create(token, ann, { name: '', symbol: '\0', tokenURI: 'x'.repeat(3_000), virtualMon: 0n })],
    ['rival', create(token, ann)],
  )
  await say(['rival', dirty(create(other, ann, { virtualToken: MOST, virtualMon: MOST, targetTokenAmount: MOST }))])
  await index()
  t.match(await readTokens(), [
    { token, status: 'curve' },
    { token: other, status: 'curve' },
  ])
  t.strictSame(await findDifferences(), [])
  await compareRebuild(t)
})

t.test('trades that are foreign, out of bounds or without reserves have no effect', async (t) => {
  const { say, emitters, ann, bob, index, readTokens, readTrades, findDifferences, compareRebuild } =
    await startHostile(t)
  const { token, other } = emitters
  const bought = trade('CurveBuy', token, bob)
  await say(['launchpad', bought], ['launchpad', state(token)], ['launchpad', create(token, ann)])
  await say(['rival', bought], ['rival', state(token)])
  await say(['fake', bought], ['fake', state(token)])
  await say(['launchpad', bought])
  await say(['launchpad', state(token)])
  await say(['launchpad', bought], ['launchpad', state(other)])
  for (const name of ['virtualMonReserve', 'virtualTokenReserve', 'realMonReserve', 'realTokenReserve'])
    await say(['launchpad', bought], ['launchpad', state(token, 1_500n, { [name]: MOST + 1n })])
  for (const name of ['CurveBuy', 'CurveSell'] as const) {
    await say(['launchpad', state(token)], ['launchpad', trade(name, token, bob, HUGE)])
    await say(['launchpad', state(token)], ['launchpad', trade(name, token, bob, 1n, MOST + 1n)])
  }
  for (const bytes of [0, 32, 63]) await say(['launchpad', cut(bought, bytes)], ['launchpad', state(token)])
  await say(['launchpad', bought], ['launchpad', cut(state(token), 127)])
  await say(['launchpad', fewer(bought)], ['launchpad', fewer(state(token))])
  await index()
  t.strictSame(await readTrades(), [])
  t.match(await readTokens(), [{ token, status: 'curve' }])
  t.strictSame(await findDifferences(), [])
  await say(
    ['launchpad', dirty(bought)],
    ['launchpad', state(token)],
    ['launchpad', state(token, 1_700n)],
    ['launchpad', trade('CurveSell', token, bob, MOST, MOST)],
    ['launchpad', trade('CurveBuy', token, bob, 0n, 0n)],
    ['launchpad', state(token, 0n, { virtualMonReserve: 0n, realMonReserve: 0n })],
  )
  await index()
  t.match(await readTrades(), [
    { side: 'buy', trader: bob, quote_amount: '5', real_token: '1000' },
    { side: 'sell', quote_amount: String(MOST), real_token: '1200' },
    { side: 'buy', quote_amount: '0', real_token: '0' },
  ])
  t.strictSame(await findDifferences(), [])
  await compareRebuild(t)
})

t.test('only the first graduation by the launchpad of a token counts, into a pool that no other one has', async (t) => {
  const { say, emitters, ann, node, index, readTokens, findDifferences } = await startHostile(t)
  const { token, other, pool, fake } = emitters
  await say(
    ['launchpad', graduate(token, pool)],
    ['launchpad', create(token, ann)],
    ['rival', create(other, ann)],
    ['rival', graduate(token, pool)],
    ['launchpad', fewer(graduate(token, pool))],
    ['rival', locked(token)],
  )
  await index()
  t.match(await readTokens(), [{ status: 'curve' }, { status: 'curve' }])
  t.strictSame(await findDifferences(), [])
  await say(['launchpad', dirty(graduate(token, pool))], ['launchpad', locked(token)])
  await say(['launchpad', graduate(token, fake)], ['rival', graduate(other, pool)], ['rival', locked(other)])
  await index()
  t.match(await readTokens(), [
    { token, status: 'graduated', pool },
    { token: other, status: 'completed', pool: null },
  ])
  t.strictSame(await findDifferences(), [])
  await node.reorg(2)
  await say(['rival', graduate(other, pool)])
  await index()
  t.match(await readTokens(), [
    { token, status: 'curve', pool: null },
    { token: other, status: 'graduated', pool },
  ])
  t.strictSame(await findDifferences(), [])
})

t.test(
  'a trade on the curve after a price of the pool, in one transaction, is the last price of its candle',
  async (t) => {
    const { say, emitters, ann, bob, index, readTrades, findDifferences } = await startHostile(t)
    const { token, pool } = emitters
    await say(['launchpad', create(token, ann)], ['launchpad', graduate(token, pool)])
    await say(
      ['pool', initialize()],
      ['launchpad', trade('CurveSell', token, bob)],
      ['launchpad', state(token, 1_700n)],
      ['token', transfer(bob, ann, 1n)],
    )
    await index()
    t.match(await readTrades(), [{ side: 'sell', venue: 'curve' }])
    t.strictSame(await findDifferences(), [])
  },
)

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)

t.test(`random logs are read as the audit reads them (SEED=${SEED})`, async (t) => {
  const random = createRandom(SEED)
  const { say, emitters, ann, bob, node, index, readTrades, findDifferences, compareRebuild } = await startHostile(t)
  const { token, other, pool, fake } = emitters
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const words = [0n, 1n, 31n, 32n, 192n, 500n, 2_000n, MOST, MOST + 1n, 2n ** 255n, HUGE, BigInt(token), BigInt(ann)]
  const some = () => pick([token, other])
  type Name = keyof typeof emitters
  const by = (): Name => pick(['launchpad', 'launchpad', 'launchpad', 'rival'])
  const emitterOf = (address: Address): Name => (address === token ? 'token' : 'other')
  const kinds: (() => [Name, RawLog][])[] = [
    () => {
      const one = some()
      const mints = Array.from({ length: random(3) }, () => transfer(zeroAddress, ann, pick(words)))
      return [...mints.map((log): [Name, RawLog] => [emitterOf(one), log]), [by(), create(one, ann)]]
    },
    () => [
      ['launchpad', trade(pick(['CurveBuy', 'CurveSell']), token, bob, BigInt(random(99)), BigInt(random(99)))],
      ['launchpad', state(token, BigInt(random(2_500)))],
    ],
    () => [
      [by(), state(some())],
      [by(), trade('CurveSell', some(), bob)],
    ],
    () => [['token', transfer(pick([ann, bob, pool]), pick([ann, bob, pool]), pick(words))]],
    () => [[by(), random(9) === 0 ? graduate(some(), pick([pool, fake, other])) : state(some())]],
    () => [[by(), random(9) === 0 ? locked(some()) : trade('CurveBuy', some(), ann)]],
    () => [['pool', pick([initialize(), swap(5n, -7n, bob), swap(-7n, 5n, ann), swap(pick(words) >> 1n, -1n, bob)])]],
  ]
  const damage = (log: RawLog): RawLog => {
    const word = random(8)
    const value = pick(words).toString(16).padStart(64, '0')
    return pick([
      () => log,
      () => log,
      () => log,
      () => log,
      () => cut(log, random((log.data.length - 2) / 2 + 1)),
      () => ({
        ...log,
        data: `${log.data.slice(0, 2 + 64 * word)}${value}${log.data.slice(2 + 64 * (word + 1))}` as Hex,
      }),
      () => fewer(log),
      () => dirty(log),
      () => (log.topics.length < 4 ? { ...log, topics: [...log.topics, toHex(random(9), { size: 32 })] } : log),
    ])()
  }
  await say(['launchpad', create(token, ann)])
  for (let round = 0; round < 40; round++) {
    const logs = Array.from({ length: 6 }, () => pick(kinds)()).flat()
    await say(...logs.map(([name, log]): [Name, RawLog] => [name, damage(log)]))
    if (random(100) < 30) await index()
    if (random(100) < 10) await node.reorg(2)
  }
  await index()
  t.strictSame(await findDifferences(), [])
  t.ok((await readTrades()).length > 10)
  await compareRebuild(t)
})
