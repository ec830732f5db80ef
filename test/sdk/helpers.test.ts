import { mock } from 'node:test'
import { inspect } from 'node:util'
import t from 'tap'
import {
  createCandleHistory,
  iterateCandles,
  keepSession,
  readBalances,
  toPosition,
} from '../../sdk/src/helpers/index.ts'
import { createClient, hasReason, type Schema, SlipwayError } from '../../sdk/src/index.ts'
import { until } from '../acceptance/support/service.ts'

const BASE = 'http://service.example'
const WALLET = `0x${'1'.repeat(40)}`
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
const tokenUntil = (ms: number) => `${encode({ alg: 'HS256' })}.${encode({ sub: WALLET, exp: ms / 1_000 })}.secret`
const KEY = `slipway.token:${BASE}`

/** Storage of a page, as long as it is not blocked. */
function createStorage(stored: Record<string, string> = {}) {
  const items = new Map(Object.entries(stored))
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}

t.test('a session is stored, taken over by the next page, and dropped with the sign-out', async (t) => {
  const storage = createStorage()
  const first = createClient({ baseUrl: BASE })
  const stop = keepSession(first, { storage })
  const token = tokenUntil(Date.now() + 3_600_000)
  first.token = token
  t.same([...storage.items], [[KEY, token]])
  stop()
  const next = createClient({ baseUrl: BASE })
  t.teardown(keepSession(next, { storage }))
  t.equal(next.token, token)
  const other = createClient({ baseUrl: 'http://other.example' })
  t.teardown(keepSession(other, { storage }))
  t.equal(other.token, undefined, 'another service does not get it')
  next.token = undefined
  t.equal(storage.items.size, 0)
})

t.test('an expired or unreadable token is not taken over, and is removed', async (t) => {
  for (const stored of [tokenUntil(Date.now() - 1_000), 'garbage', `a.${encode([1])}.b`]) {
    const storage = createStorage({ [KEY]: stored })
    const client = createClient({ baseUrl: BASE })
    t.teardown(keepSession(client, { storage }))
    t.equal(client.token, undefined)
    t.equal(storage.items.size, 0)
  }
})

t.test('a token is dropped when it expires', async (t) => {
  const storage = createStorage({ [KEY]: tokenUntil(Date.now() + 300) })
  const client = createClient({ baseUrl: BASE })
  t.teardown(keepSession(client, { storage }))
  t.type(client.token, 'string')
  await until(
    async () => client.token,
    (token) => token === undefined,
    'the token is dropped',
  )
  t.equal(storage.items.size, 0)
})

t.test('a token that is valid for longer than a timer takes is dropped when it expires, not before', async (t) => {
  const LONGEST_TIMER_MS = 2 ** 31 - 1
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.teardown(() => mock.timers.reset())
  const client = createClient({ baseUrl: BASE, token: tokenUntil(LONGEST_TIMER_MS + 2_001) })
  t.teardown(keepSession(client, { storage: createStorage() }))
  mock.timers.tick(LONGEST_TIMER_MS)
  t.type(client.token, 'string')
  mock.timers.tick(2_001)
  t.equal(client.token, undefined)
})

t.test('a token without an expiry needs no timer', async (t) => {
  const timers = mock.method(globalThis, 'setTimeout')
  t.teardown(() => mock.restoreAll())
  const token = `a.${encode({ sub: WALLET })}.b`
  keepSession(createClient({ baseUrl: BASE, token }), { storage: createStorage() })()
  t.equal(timers.mock.callCount(), 0)
})

t.test('blocked storage is no error', async (t) => {
  const blocked = () => {
    throw new Error('Blocked')
  }
  const client = createClient({ baseUrl: BASE })
  t.teardown(keepSession(client, { storage: { getItem: blocked, setItem: blocked, removeItem: blocked } }))
  client.token = tokenUntil(Date.now() + 3_600_000)
  t.type(client.token, 'string')
})

t.test('a printed or serialized client does not contain the token', async (t) => {
  const client = createClient({ baseUrl: BASE, token: tokenUntil(Date.now() + 3_600_000) })
  for (const text of [
    inspect(client, { getters: true, depth: 5 }),
    JSON.stringify(client),
    JSON.stringify({ ...client }),
  ])
    t.notMatch(text, 'secret')
})

/** A service with the candles 0 to 24 of a token, which fails while `isDown`. */
function serveCandles() {
  const service = { isDown: false, requests: [] as string[] }
  const client = createClient({
    baseUrl: BASE,
    fetch: async (input) => {
      const { search, searchParams } = new URL(String(input))
      service.requests.push(search)
      if (service.isDown) return new Response('', { status: 503 })
      const [to, limit] = [Number(searchParams.get('to') ?? 24), Number(searchParams.get('limit'))]
      const times = Array.from({ length: 25 }, (_, time) => time).filter((time) => time <= to)
      const data = { candles: times.slice(-limit).map((time) => ({ time })) }
      return new Response(JSON.stringify({ success: true, data }))
    },
  })
  return { client, service }
}
const timesOf = (candles: readonly { time: number }[]) => candles.map(({ time }) => time)
const candlesOf = (times: number[]) => times.map((time) => ({ time })) as unknown as Schema<'Chart'>['candles']

t.test('pages of candles are iterated from the newest to the launch', async (t) => {
  const { client, service } = serveCandles()
  const pages: number[][] = []
  for await (const candles of iterateCandles(client, '0x', { interval: '1h', limit: 10 })) pages.push(timesOf(candles))
  t.same(
    pages.map((page) => [page[0], page.at(-1)]),
    [
      [15, 24],
      [5, 14],
      [0, 4],
    ],
  )
  t.same(service.requests, ['?interval=1h&limit=10', '?interval=1h&limit=10&to=14', '?interval=1h&limit=10&to=4'])
})

t.test('older candles are loaded once, joined to the newest ones, and complete at the launch', async (t) => {
  const { client, service } = serveCandles()
  const history = createCandleHistory(client, '0x', { limit: 5 })
  let changes = 0
  history.subscribe(() => changes++)
  const newest = candlesOf([20, 21, 22, 23, 24])
  t.equal(history.join(newest), newest)
  t.same(await Promise.all([history.loadOlder(newest), history.loadOlder(newest)]), [true, false])
  t.same(timesOf(history.join(newest)), [15, 16, 17, 18, 19, 20, 21, 22, 23, 24])
  t.equal(changes, 2)
  const moved = candlesOf([22, 23, 24, 25, 26])
  t.same(timesOf(history.join(moved)).slice(-7), [20, 21, 22, 23, 24, 25, 26], 'they still meet')
  const later = candlesOf([40, 41, 42, 43, 44])
  t.equal(history.join(later), later, 'candles behind a gap are not joined')
  service.isDown = true
  await t.rejects(history.loadOlder(newest), SlipwayError)
  t.equal(history.state.isLoading, false)
  service.isDown = false
  while (await history.loadOlder(newest));
  t.same(
    timesOf(history.join(newest)),
    Array.from({ length: 25 }, (_, time) => time),
  )
  t.equal(history.state.isComplete, true)
  const sent = service.requests.length
  t.equal(await history.loadOlder(newest), false)
  t.equal(service.requests.length, sent)
})

t.test('a position has its average entry and its gain in percent, as far as they are known', async (t) => {
  const holding = {
    boughtAmount: '50000000000000000000',
    quote: { address: '0x2', symbol: 'USDC', decimals: 6 },
    costNative: '2000000000000000000',
    costQuote: '6000000000',
    costUsd: 6_000,
    unrealizedPnl: { native: '500000000000000000', quote: '1500000000', usd: 1_200 },
  } as unknown as Schema<'Holding'>
  const figures = { averageEntry: { usd: 120, native: 0.04, quote: 120 }, unrealizedPct: 25, unrealizedUsdPct: 20 }
  t.match(toPosition(holding), figures)
  const unpriced = { ...holding, costUsd: null, unrealizedPnl: { ...holding.unrealizedPnl, usd: null } }
  t.match(toPosition(unpriced), {
    averageEntry: { usd: null, native: 0.04 },
    unrealizedPct: 25,
    unrealizedUsdPct: null,
  })
  const gift = { ...holding, boughtAmount: '0', costNative: '0', costQuote: '0', costUsd: 0 } as Schema<'Holding'>
  t.match(toPosition(gift), { averageEntry: null, unrealizedPct: null, unrealizedUsdPct: null })
})

t.test('balances that the node does not return are an error, never zero', async (t) => {
  const answer = (body: object) =>
    readBalances(createClient({ baseUrl: BASE, fetch: async () => new Response(JSON.stringify(body)) }), WALLET, [
      WALLET,
    ])
  const error = { code: -32_005, message: 'Too many calls' }
  await t.rejects(answer({ id: null, error }), { name: 'NodeError', code: -32_005 })
  await t.rejects(answer([{ id: 1, result: '0x5' }]), { name: 'NodeError', message: /native coin/ })
  await t.rejects(
    answer([
      { id: 0, result: '0x5' },
      { id: 1, error },
    ]),
    { name: 'NodeError', code: -32_005 },
  )
  const inOtherOrder = [
    { id: 1, result: '0x7' },
    { id: 0, result: '0x5' },
  ]
  t.same(await answer(inOtherOrder), { native: 5n, tokens: { [WALLET]: 7n } })
})

t.test('hasReason distinguishes reasons of the service from other errors', async (t) => {
  const error = new SlipwayError({ status: 404, message: 'No', reason: 'TOKEN_NOT_FOUND', operation: '' })
  t.equal(hasReason(error, 'WRONG_STATE', 'TOKEN_NOT_FOUND'), true)
  t.equal(hasReason(error, 'WRONG_STATE'), false)
  t.equal(hasReason(Object.assign(new Error(), { reason: 'TOKEN_NOT_FOUND' }), 'TOKEN_NOT_FOUND'), false)
})
