import { Type } from '@sinclair/typebox'
import { Address, Amount, component, MAX_UNIX_TIME, Nullable, OneOf, ref } from './common.ts'
import type { LiveEvent } from './live.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'

/** Stored candle lengths in seconds, by interval name. */
export const intervals = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '30m': 1_800,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
} as const
export type Interval = keyof typeof intervals
const intervalNames = Object.keys(intervals) as Interval[]

/** Candles that are computed from the trades of the last hour. */
export const secondIntervals = { '1s': 1, '5s': 5, '15s': 15 } as const
export const chartIntervals = { ...secondIntervals, ...intervals }
export type ChartInterval = keyof typeof chartIntervals
const chartIntervalNames = Object.keys(chartIntervals) as ChartInterval[]
/** Seconds up to which candles of seconds reach back. */
export const SECONDS_SPAN = 3_600

const currencies = ['native', 'usd', 'marketCapUsd', 'quote'] as const

export const candleLimits = { default: 300, maximum: 1_500 } as const

const price = (description: string) => Nullable(Type.Number({ description }))

export const Candle = Type.Object({
  time: Type.Integer({ description: 'Start of the candle, in Unix seconds.' }),
  open: price('Close of the previous candle; for the first candle, the launch price.'),
  high: price('Highest price; never below open.'),
  low: price('Lowest price; never above open.'),
  close: price('Price of the last trade; equals open if there was none.'),
  volumeNative: Type.String({ ...Amount, description: 'Volume in native coin, in base units.' }),
  volumeQuote: Type.String({ ...Amount, description: 'Volume in the quote asset, in base units.' }),
  volumeUsd: Nullable(Type.Number()),
  trades: Type.Integer(),
})

export const ChartQuery = Type.Object({
  interval: Type.Optional(
    Type.Unsafe<ChartInterval>(
      OneOf(chartIntervalNames, {
        default: '5m',
        description: 'Length of a candle. Those below a minute are of the last hour.',
      }),
    ),
  ),
  from: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_UNIX_TIME,
      description: 'Start in Unix seconds. Times before the launch are replaced by the launch.',
    }),
  ),
  to: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_UNIX_TIME,
      description: 'End in Unix seconds, inclusive. Default: now, by the chain’s clock.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: candleLimits.maximum,
      default: candleLimits.default,
      description: 'Maximum number of candles: the last ones between from and to.',
    }),
  ),
  currency: Type.Optional(
    OneOf(currencies, {
      default: 'native',
      description:
        'Unit of open, high, low and close: the price in native coin, quote asset or US dollars, or the market capitalisation.',
    }),
  ),
})

export const Chart = component(
  'Chart',
  {
    token: Address,
    interval: Type.Unsafe<ChartInterval>(OneOf(chartIntervalNames)),
    currency: OneOf(currencies),
    quote: ref(QuoteAsset),
    candles: Type.Array(Candle),
  },
  {
    description:
      'Candles in ascending order, one for every interval since the launch, with or without trades. The price ' +
      'of a curve cannot move between trades, so each candle opens at the previous close. Prices are for one ' +
      'whole token. US dollar prices are null where no price feed value is available, and those in native coin where no rate is known.',
    examples: [
      {
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        interval: '5m',
        currency: 'native',
        quote: exampleQuote,
        candles: [
          {
            time: 1_795_168_500,
            open: 2.1e-9,
            high: 2.36328125e-9,
            low: 2.1e-9,
            close: 2.36328125e-9,
            volumeNative: '120000000000000000',
            volumeQuote: '120000000000000000',
            volumeUsd: 360,
            trades: 3,
          },
          {
            time: 1_795_168_800,
            open: 2.36328125e-9,
            high: 2.36328125e-9,
            low: 2.36328125e-9,
            close: 2.36328125e-9,
            volumeNative: '0',
            volumeQuote: '0',
            volumeUsd: 0,
            trades: 0,
          },
        ],
      },
    ],
  },
)

export const components = [Chart]

const exampleToken = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const current = {
  time: 1_795_168_500,
  open: 2.1e-9,
  high: 2.36328125e-9,
  low: 2.1e-9,
  close: 2.36328125e-9,
  volumeNative: '120000000000000000',
  volumeQuote: '120000000000000000',
  volumeUsd: 360,
  trades: 3,
}
const CurrentCandles = component(
  'CurrentCandles',
  {
    token: Address,
    quote: ref(QuoteAsset),
    candles: Type.Object(Object.fromEntries(intervalNames.map((name) => [name, Candle])), {
      description:
        'The last candle of the chart in native coin, by interval. It replaces the candle with the same time.',
    }),
  },
  {
    description: 'The last candles of a token’s charts, after a trade or a retraction of one.',
    examples: [
      {
        token: exampleToken,
        quote: exampleQuote,
        candles: Object.fromEntries(
          intervalNames.map((name) => [name, { ...current, time: current.time - (current.time % intervals[name]) }]),
        ),
      },
    ],
  },
)

export const liveEvents = {
  candle: {
    data: CurrentCandles,
    channels: ['token'],
    description: 'The last candles of the token’s charts changed.',
  },
} as const satisfies Record<string, LiveEvent>
