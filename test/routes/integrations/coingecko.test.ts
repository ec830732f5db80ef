import t from 'tap'
import { formatUnits, getAddress, parseUnits } from 'viem'
import { isChecksummed } from '../../support/feeds/dex-feed.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { HIDDEN, since, sum, toTradeRow, volumeOf } from '../../support/market-rows.ts'
import {
  HEAD,
  poolAddress,
  type SimulatedToken,
  type SimulatedTrade,
  timeOf,
  tokenAddress,
  WRAPPED_NATIVE,
  walletAddress,
} from '../../support/market-simulation.ts'
import { insertTrades } from '../../support/readable-rows.ts'

interface Ticker {
  ticker_id: string
  base_currency: string
  target_currency: string
  pool_id: string
  last_price: string
  high: string
  low: string
  base_volume: string
  target_volume: string
  liquidity_in_usd?: string
}
interface Trade {
  trade_id: number
  price: string
  base_volume: string
  target_volume: string
  trade_timestamp: number
  type: 'buy' | 'sell'
}
interface Trades {
  buy: Trade[]
  sell: Trade[]
}

const { app, db, tokens, read } = await createMarketApp(t)
const ask = async <T>(url: string) => {
  const { status, body } = await read(`/integrations/coingecko/${url}`)
  return { status, body: body as unknown as T }
}
const DAY_AGO = timeOf(HEAD) - 86_400
const idOf = (token: string) => `${getAddress(token)}_${getAddress(WRAPPED_NATIVE)}`
const history = async (token: string, query = '') =>
  (await ask<Trades>(`historical_trades?ticker_id=${idOf(token)}${query}`)).body
const isPositive = (value: string) => /^\d+(\.\d{1,50})?$/.test(value) && parseUnits(value, 50) > 0n
const active = tokens.filter(({ index, trades }) => !HIDDEN.includes(index) && since(trades, DAY_AGO).length > 0)
const tickers = (await ask<Ticker[]>('tickers')).body
const paid = ({ quoteAmount, tokenAmount }: SimulatedTrade) => (quoteAmount * 10n ** 50n) / tokenAmount

t.test('every ticker has the fields that CoinGecko requires, as positive decimal strings', async (t) => {
  t.ok(tickers.length > 10)
  for (const ticker of tickers) {
    const { base_currency: base, target_currency: target } = ticker
    t.equal(ticker.ticker_id, `${base}_${target}`)
    t.ok([base, target, ticker.pool_id].every(isChecksummed))
    for (const name of ['last_price', 'high', 'low', 'base_volume', 'target_volume', 'liquidity_in_usd'] as const)
      if (!isPositive(ticker[name] ?? '')) t.fail(`${name} of ${base} is ${ticker[name]}`)
    const [low, last, high] = [ticker.low, ticker.last_price, ticker.high].map((price) => parseUnits(price, 50))
    t.ok((low as bigint) <= (last as bigint) && (last as bigint) <= (high as bigint))
  }
})

t.test(
  'there is one ticker for each visible token that was traded in the last day, the most traded first',
  async (t) => {
    t.same(
      new Set(tickers.map((ticker) => ticker.base_currency.toLowerCase())),
      new Set(active.map((token) => token.address)),
    )
    t.equal(new Set(tickers.map((ticker) => ticker.ticker_id)).size, tickers.length)
    const volumes = tickers.map((ticker) => parseUnits(ticker.target_volume, 18))
    t.same(
      volumes,
      [...volumes].sort((a, b) => (a < b ? 1 : -1)),
    )
  },
)

t.test('ticker figures match the trades of the last day', async (t) => {
  for (const token of active) {
    const day = since(token.trades, DAY_AGO)
    const ticker = tickers.find(({ base_currency }) => base_currency.toLowerCase() === token.address)
    const prices = day.map(paid).sort((a, b) => (a < b ? -1 : 1))
    t.match(ticker, {
      last_price: formatUnits(paid(day.at(-1) as SimulatedTrade), 50),
      low: formatUnits(prices[0] as bigint, 50),
      high: formatUnits(prices.at(-1) as bigint, 50),
      base_volume: formatUnits(sum(day.map(({ tokenAmount }) => tokenAmount)), 18),
      target_volume: formatUnits(volumeOf(day), 18),
      pool_id: getAddress(token.pool ? poolAddress(token.index) : token.address),
    })
    const coins = token.pool ? 2n * token.pool.quote : token.curve.realQuote
    t.equal(Number(ticker?.liquidity_in_usd), Number((coins * 3000n) / 10n ** 10n) / 1e8)
  }
})

t.test('pages of tickers join to the whole list', async (t) => {
  const pages = await Promise.all([1, 2, 3].map((page) => ask<Ticker[]>(`tickers?limit=10&page=${page}`)))
  t.same(
    pages.flatMap(({ body }) => body),
    tickers.slice(0, 30),
  )
})

t.test('without a price feed the liquidity in US dollars is omitted', async (t) => {
  await db.updateTable('chain_state').set({ quote_usd: null }).execute()
  const { body } = await ask<Ticker[]>('tickers')
  t.equal(body.length, tickers.length)
  t.ok(body.every((ticker) => !('liquidity_in_usd' in ticker)))
  await db.updateTable('chain_state').set({ quote_usd: '3000' }).execute()
})

t.test('historical trades are grouped by side, newest first', async (t) => {
  for (const index of [5, 20]) {
    const { address, trades } = tokens[index] as SimulatedToken
    const body = await history(address)
    for (const side of ['buy', 'sell'] as const) {
      const wanted = trades.filter((trade) => trade.side === side).reverse()
      t.same(
        body[side],
        wanted.map((trade) => ({
          trade_id: trade.block * 1_000_000 + trade.log,
          price: formatUnits(paid(trade), 50),
          base_volume: formatUnits(trade.tokenAmount, 18),
          target_volume: formatUnits(trade.quoteAmount, 18),
          trade_timestamp: timeOf(trade.block) * 1000,
          type: side,
        })),
      )
    }
  }
})

t.test('type, limit and times filter trades; times are seconds or milliseconds, inclusive', async (t) => {
  const { address, trades } = tokens[20] as SimulatedToken
  const ids = (body: Trades) => [...body.buy, ...body.sell].map(({ trade_id }) => trade_id).sort((a, b) => a - b)
  const idsOf = (some: SimulatedTrade[]) => some.map(({ block, log }) => block * 1_000_000 + log)
  t.same(ids(await history(address)), idsOf(trades))
  t.same((await history(address, '&type=sell')).buy, [])
  t.same(ids(await history(address, '&type=sell')), idsOf(trades.filter(({ side }) => side === 'sell')))
  t.same(ids(await history(address, '&limit=2')), idsOf(trades.slice(-2)))
  t.same(ids(await history(address, '&limit=0')), idsOf(trades))
  const [from, to] = [timeOf((trades[2] as SimulatedTrade).block), timeOf((trades[4] as SimulatedTrade).block)]
  const within = trades.filter(({ block }) => timeOf(block) >= from && timeOf(block) <= to)
  t.same(ids(await history(address, `&start_time=${from}&end_time=${to}`)), idsOf(within))
  t.same(ids(await history(address, `&start_time=${from}000&end_time=${to}999`)), idsOf(within))
  t.same(
    ids(await history(address, `&start_time=${from}001&end_time=${to - 1}999`)),
    idsOf(within.filter(({ block }) => timeOf(block) > from && timeOf(block) < to)),
  )
  t.same(ids(await history(address, '&end_time=1')), [])
  t.same(ids(await history(address, '&start_time=9999999999')), [])
})

t.test('a trade with a zero amount is excluded and does not affect the ticker', async (t) => {
  const { address, trades } = tokens[20] as SimulatedToken
  const before = await history(address)
  const newest = await history(address, '&limit=1')
  const last = trades.at(-1) as SimulatedTrade
  for (const [at, part] of [{ tokenAmount: 0n }, { quoteAmount: 0n }].entries())
    await insertTrades(db, [toTradeRow({ ...last, ...part, log: 9_000 + at })])
  t.same(await history(address), before)
  t.same(await history(address, '&limit=1'), newest, 'nor does it take the place of another')
  t.same((await ask<Ticker[]>('tickers')).body, tickers)
  await db.deleteFrom('trades').where('log_index', '>=', 9_000).execute()
})

const known = idOf(tokenAddress(1))
const unknown = idOf(walletAddress(1))
const foreign = `${getAddress(tokenAddress(1))}_${getAddress(walletAddress(1))}`
const hidden = idOf(tokenAddress(HIDDEN[0] as number))
const bad: [url: string, status: number, error: string][] = [
  ['tickers?limit=0', 400, 'query.limit must be >= 1'],
  ['tickers?limit=1001', 400, 'query.limit must be <= 1000'],
  ['tickers?page=11', 400, 'query.page must be <= 10'],
  ['historical_trades', 400, 'query.ticker_id is required'],
  [
    'historical_trades?ticker_id=HCAT_ETH',
    400,
    'query.ticker_id must be two addresses joined by an underscore, as in the tickers',
  ],
  [`historical_trades?ticker_id=${known}&type=both`, 400, 'query.type must be one of buy, sell'],
  [`historical_trades?ticker_id=${known}&limit=1001`, 400, 'query.limit must be <= 1000'],
  [`historical_trades?ticker_id=${known}&limit=-1`, 400, 'query.limit must be >= 0'],
  [
    `historical_trades?ticker_id=${known}&start_time=2&end_time=1`,
    400,
    'query.start_time must not be after query.end_time',
  ],
  [`historical_trades?ticker_id=${known}&start_time=yesterday`, 400, 'query.start_time must be an integer'],
  [`historical_trades?ticker_id=${unknown}`, 404, `Ticker ${unknown} not found`],
  [`historical_trades?ticker_id=${foreign}`, 404, `Ticker ${foreign} not found`],
  [`historical_trades?ticker_id=${hidden}`, 404, `Ticker ${hidden} not found`],
]
for (const [url, status, error] of bad) {
  t.test(`${url} is ${status}, in the envelope`, async (t) => {
    t.same(await ask(url), { status, body: { success: false, data: null, error } })
  })
}

t.test('both mounts return the same', async (t) => {
  const [root, api] = await Promise.all(
    ['', '/api'].map((mount) => app.inject(`${mount}/integrations/coingecko/tickers`)),
  )
  t.equal(root?.body, api?.body)
})
