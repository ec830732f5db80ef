import { Type } from '@sinclair/typebox'
import { component, OneOf, ref } from '../common.ts'
import { ChecksumAddress } from './adapter.ts'

const Decimal = (description: string) =>
  Type.String({ pattern: '^[0-9]+(\\.[0-9]{1,50})?$', description, examples: ['0.000000041900000001'] })

const TICKER_ID = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0_0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'

/** Bounds of what one request answers. A reader that names no limit wants everything: it gets the most there is at once. */
export const coingeckoLimits = { tickers: 1_000, pages: 10, trades: 1_000 } as const

export const CoingeckoTicker = component(
  'CoingeckoTicker',
  {
    ticker_id: Type.String({ description: 'The two currencies, joined.', examples: [TICKER_ID] }),
    base_currency: Type.String({ ...ChecksumAddress, description: 'The token.' }),
    target_currency: Type.String({ ...ChecksumAddress, description: 'The wrapped native coin.' }),
    pool_id: Type.String({ ...ChecksumAddress, description: 'The pool; while on its curve, the token itself.' }),
    last_price: Decimal('What the last trade paid for one token.'),
    high: Decimal('The highest price of a trade of the last day.'),
    low: Decimal('The lowest price of a trade of the last day.'),
    base_volume: Decimal('Tokens traded in the last day.'),
    target_volume: Decimal('Native coin traded in the last day.'),
    liquidity_in_usd: Type.Optional(Decimal('Absent where no feed knows a price in US dollars.')),
  },
  {
    description: 'The market of a token over the last day. All numbers are decimal strings of whole coins.',
    examples: [
      {
        ticker_id: TICKER_ID,
        base_currency: TICKER_ID.slice(0, 42),
        target_currency: TICKER_ID.slice(43),
        pool_id: TICKER_ID.slice(0, 42),
        last_price: '0.00000000236328125',
        high: '0.0000000024',
        low: '0.0000000021',
        base_volume: '51234567.891',
        target_volume: '0.1205',
        liquidity_in_usd: '295.5',
      },
    ],
  },
)

export const CoingeckoTickers = Type.Array(ref(CoingeckoTicker), { description: 'The most traded first.' })

const Trade = Type.Object({
  trade_id: Type.Integer({ minimum: 0, description: 'Rises with every trade. Made of its block and its log index.' }),
  price: Decimal('What was paid for one token.'),
  base_volume: Decimal('Tokens.'),
  target_volume: Decimal('Native coin.'),
  trade_timestamp: Type.Integer({ minimum: 0, description: 'Unix milliseconds.' }),
  type: OneOf(['buy', 'sell']),
})

export const CoingeckoTrades = component(
  'CoingeckoTrades',
  { buy: Type.Array(Trade), sell: Type.Array(Trade) },
  {
    description: 'Trades by their side, the newest first.',
    examples: [
      {
        buy: [
          {
            trade_id: 22_414_823_000_011,
            price: '0.00000000238698',
            base_volume: '41893560.112006519471348291',
            target_volume: '0.1',
            trade_timestamp: 1_795_176_000_000,
            type: 'buy',
          },
        ],
        sell: [],
      },
    ],
  },
)

export const TickersQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: coingeckoLimits.tickers,
      default: coingeckoLimits.tickers,
      description: 'How many tickers a page has.',
    }),
  ),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: coingeckoLimits.pages, default: 1, description: 'From 1.' })),
})

/** Seconds of the year 5138 and milliseconds of 1973: what is above is milliseconds, what is below seconds. */
const MAX_TIME = 253_402_300_799_999
const time = (description: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_TIME, description: `${description} Unix seconds, or milliseconds.` }),
  )

export const HistoricalTradesQuery = Type.Object({
  ticker_id: Type.String({
    pattern: '^0x[0-9a-fA-F]{40}_0x[0-9a-fA-F]{40}$',
    description: 'As in the tickers. Any letter case is accepted.',
    examples: [TICKER_ID],
    'x-expects': 'must be two addresses joined by an underscore, as in the tickers',
  }),
  type: Type.Optional(OneOf(['buy', 'sell'], { description: 'Only this side.' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: coingeckoLimits.trades,
      default: 200,
      description: `How many trades, of both sides together. 0 asks for as many as there are: at most ${coingeckoLimits.trades}.`,
    }),
  ),
  start_time: time('No trade before it.'),
  end_time: time('No trade after it.'),
})

export const components = [CoingeckoTicker, CoingeckoTrades]
