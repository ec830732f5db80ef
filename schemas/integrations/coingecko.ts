import { Type } from '@sinclair/typebox'
import { component, OneOf, ref } from '../common.ts'
import { ChecksumAddress, PairId } from './adapter.ts'

const Decimal = (description: string) =>
  Type.String({ pattern: '^[0-9]+(\\.[0-9]{1,50})?$', description, examples: ['0.000000041900000001'] })

const TICKER_ID = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0_0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'

/** Limits of one response. Clients that send no limit expect all items, so the default of tickers is the maximum. */
export const coingeckoLimits = { tickers: 1_000, pages: 10, trades: 1_000 } as const

export const CoingeckoTicker = component(
  'CoingeckoTicker',
  {
    ticker_id: Type.String({
      description: 'Base and target currency, joined by an underscore.',
      examples: [TICKER_ID],
    }),
    base_currency: Type.String({ ...ChecksumAddress, description: 'The token.' }),
    target_currency: Type.String({ ...ChecksumAddress, description: 'The wrapped native coin.' }),
    pool_id: Type.String({
      ...PairId,
      description: 'Address or id of the pool; address of the token while it is on its curve.',
    }),
    last_price: Decimal('Price per token of the last trade.'),
    high: Decimal('Highest trade price of the last 24 hours.'),
    low: Decimal('Lowest trade price of the last 24 hours.'),
    base_volume: Decimal('Volume in tokens of the last 24 hours.'),
    target_volume: Decimal('Volume in native coin of the last 24 hours.'),
    liquidity_in_usd: Type.Optional(Decimal('Absent if no US dollar price is available.')),
  },
  {
    description: 'Market of a token over the last 24 hours. Numbers are decimal strings in whole coins.',
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

export const CoingeckoTickers = Type.Array(ref(CoingeckoTicker), { description: 'Ordered by volume, highest first.' })

const Trade = Type.Object({
  trade_id: Type.Integer({
    minimum: 0,
    description: 'Increases with every trade. Derived from block number and log index.',
  }),
  price: Decimal('Price per token.'),
  base_volume: Decimal('Amount of tokens.'),
  target_volume: Decimal('Amount of native coin.'),
  trade_timestamp: Type.Integer({ minimum: 0, description: 'Unix milliseconds.' }),
  type: OneOf(['buy', 'sell']),
})

export const CoingeckoTrades = component(
  'CoingeckoTrades',
  { buy: Type.Array(Trade), sell: Type.Array(Trade) },
  {
    description: 'Trades by side, newest first.',
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
      description: 'Tickers per page.',
    }),
  ),
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: coingeckoLimits.pages, default: 1, description: 'Page number, from 1.' }),
  ),
})

/** Maximum time, in milliseconds. Values below 100,000,000,000 are read as seconds. */
const MAX_TIME = 253_402_300_799_999
const time = (description: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_TIME, description: `${description} Unix seconds, or milliseconds.` }),
  )

export const HistoricalTradesQuery = Type.Object({
  ticker_id: Type.String({
    pattern: '^0x[0-9a-fA-F]{40}_0x[0-9a-fA-F]{40}$',
    description: 'ticker_id of a ticker. Any letter case is accepted.',
    examples: [TICKER_ID],
    'x-expects': 'must be two addresses joined by an underscore, as in the tickers',
  }),
  type: Type.Optional(OneOf(['buy', 'sell'], { description: 'Only trades of this side.' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: coingeckoLimits.trades,
      default: 200,
      description:
        'Maximum number of trades, both sides together. 0 returns as many as possible: at most ' +
        `${coingeckoLimits.trades}.`,
    }),
  ),
  start_time: time('Earliest time, inclusive.'),
  end_time: time('Latest time, inclusive.'),
})

export const components = [CoingeckoTicker, CoingeckoTrades]
