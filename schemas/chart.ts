import { Type } from '@sinclair/typebox'
import { Address, Amount, component, Nullable, OneOf } from './common.ts'
import type { LiveEvent } from './live.ts'

/** Lengths of candles in seconds, by the name that a client uses. */
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

export const candleLimits = { default: 300, maximum: 1_500 } as const
/** The last second of the year 9999, past which a date has no ISO 8601 form. */
const MAX_TIME = 253_402_300_799

const price = (description: string) => Nullable(Type.Number({ description }))

export const Candle = Type.Object({
  time: Type.Integer({ description: 'Start of the candle, unix seconds.' }),
  open: price('The close of the candle before; of the first one, the price at the launch.'),
  high: price('Never below the open.'),
  low: price('Never above the open.'),
  close: price('Price of the last trade, or the open if there was none.'),
  volumeNative: Type.String({ ...Amount, description: 'Traded native coin in base units.' }),
  volumeUsd: Nullable(Type.Number()),
  trades: Type.Integer(),
})

export const ChartQuery = Type.Object({
  interval: Type.Optional(
    Type.Unsafe<Interval>(OneOf(intervalNames, { default: '5m', description: 'Length of a candle.' })),
  ),
  from: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_TIME, description: 'Unix seconds. Before the launch, it is the launch.' }),
  ),
  to: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_TIME, description: 'Unix seconds, included. Default: now, on the chain.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: candleLimits.maximum,
      default: candleLimits.default,
      description: 'Candles to answer: of those between from and to, the last ones.',
    }),
  ),
  currency: Type.Optional(
    OneOf(['native', 'usd'], { default: 'native', description: 'Currency of open, high, low and close.' }),
  ),
})

export const Chart = component(
  'Chart',
  {
    token: Address,
    interval: Type.Unsafe<Interval>(OneOf(intervalNames)),
    currency: OneOf(['native', 'usd']),
    candles: Type.Array(Candle),
  },
  {
    description:
      'Candles in ascending order, one for every interval since the launch, traded in or not. Between two trades the ' +
      'price of a curve cannot move, so each candle opens where the one before it closed. Prices are those of one whole ' +
      'token; in US dollars they are null where no feed knew one.',
    examples: [
      {
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        interval: '5m',
        currency: 'native',
        candles: [
          {
            time: 1_795_168_500,
            open: 2.1e-9,
            high: 2.36328125e-9,
            low: 2.1e-9,
            close: 2.36328125e-9,
            volumeNative: '120000000000000000',
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
  volumeUsd: 360,
  trades: 3,
}
const CurrentCandles = component(
  'CurrentCandles',
  {
    token: Address,
    candles: Type.Object(Object.fromEntries(intervalNames.map((name) => [name, Candle])), {
      description: 'By interval, the last candle of the chart in native coin. It replaces the one of the same time.',
    }),
  },
  {
    description: 'What the charts of a token now end with, after a trade or after one was retracted.',
    examples: [
      {
        token: exampleToken,
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
    description: 'The last candles of the charts have changed.',
  },
} as const satisfies Record<string, LiveEvent>
