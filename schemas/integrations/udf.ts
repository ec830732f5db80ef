import { Type } from '@sinclair/typebox'
import { secondIntervals } from '../chart.ts'
import { component, MAX_UNIX_TIME, OneOf } from '../common.ts'

const minuteResolutions = {
  '1': 60,
  '5': 300,
  '15': 900,
  '30': 1_800,
  '60': 3_600,
  '240': 14_400,
} as const
const secondResolutions = {
  '1S': secondIntervals['1s'],
  '5S': secondIntervals['5s'],
  '15S': secondIntervals['15s'],
} as const
/** Bar lengths in seconds, by the charting library’s resolution names. */
const resolutions = { ...secondResolutions, ...minuteResolutions, '1D': 86_400 } as const
type Resolution = keyof typeof resolutions
/** In ascending order, which integers as keys of an object do not keep. */
export const resolutionNames = (Object.keys(resolutions) as Resolution[]).sort(
  (a, b) => resolutions[a] - resolutions[b],
)
export const minuteMultipliers = Object.keys(minuteResolutions)
export const secondMultipliers = Object.values(secondResolutions).map(String)

/** Seconds of a bar. */
export const stepOf = (resolution: Resolution | 'D') => resolutions[resolution === 'D' ? '1D' : resolution]
/** Whether bars of this length are computed from the trades of the last hour. */
export const isOfSeconds = (step: number) => step < minuteResolutions['1']

/** Kinds of symbols, in the library's words: prices of a token, and its market capitalisation. */
export const symbolTypes = [
  { name: 'Token', value: 'crypto' },
  { name: 'Market cap', value: 'fundamental' },
] as const
const SymbolType = OneOf(symbolTypes.map(({ value }) => value))

/** Maximum bars of one response. The library requests earlier bars separately. */
export const MAX_BARS = 5_000

export const UdfError = component(
  'UdfError',
  { s: Type.Literal('error'), errmsg: Type.String({ description: 'Error message.' }) },
  { description: 'Body of every error response of the feed.', examples: [{ s: 'error', errmsg: 'unknown_symbol' }] },
)

const named = {
  name: Type.String({ description: 'Display name.' }),
  value: Type.String({ description: 'Value for the search parameter.' }),
}

export const UdfConfig = component(
  'UdfConfig',
  {
    supported_resolutions: Type.Array(Type.Unsafe<Resolution>(OneOf(resolutionNames))),
    supports_search: Type.Boolean(),
    supports_group_request: Type.Boolean(),
    supports_marks: Type.Boolean(),
    supports_timescale_marks: Type.Boolean(),
    supports_time: Type.Boolean(),
    exchanges: Type.Array(Type.Object({ ...named, desc: Type.String() })),
    symbols_types: Type.Array(Type.Object(named)),
  },
  {
    description: 'Capabilities of the feed.',
    examples: [
      {
        supported_resolutions: resolutionNames,
        supports_search: true,
        supports_group_request: false,
        supports_marks: true,
        supports_timescale_marks: false,
        supports_time: true,
        exchanges: [{ name: 'Slipway', value: 'Slipway', desc: 'Slipway' }],
        symbols_types: [...symbolTypes],
      },
    ],
  },
)

const TICKER = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const symbol = Type.String({
  description:
    'Ticker: the address of a token for prices in native coin; with the suffix `:USD` for prices in US dollars, with ' +
    '`:MC` for the market capitalisation in US dollars.',
  examples: [TICKER],
})

export const UdfSymbolQuery = Type.Object({ symbol })

export const UdfSymbol = component(
  'UdfSymbol',
  {
    name: Type.String({ description: 'Display name: symbol of the token, and the currency or `MC`. Not unique.' }),
    ticker: Type.String({ description: 'Unique; the symbol parameter of the other operations.' }),
    description: Type.String(),
    type: SymbolType,
    session: Type.Literal('24x7'),
    timezone: Type.Literal('Etc/UTC'),
    exchange: Type.String(),
    listed_exchange: Type.String(),
    'exchange-traded': Type.String({ description: 'Same as exchange, for older clients.' }),
    'exchange-listed': Type.String({ description: 'Same as listed_exchange, for older clients.' }),
    currency_code: Type.String({ description: 'Currency of prices or of the market capitalisation.' }),
    format: Type.Literal('price'),
    minmov: Type.Literal(1),
    minmov2: Type.Literal(0),
    pointvalue: Type.Literal(1),
    pricescale: Type.Integer({
      minimum: 100,
      maximum: 1e18,
      description: 'A power of ten with enough decimals for eight significant digits of the lowest price.',
    }),
    has_intraday: Type.Boolean(),
    has_seconds: Type.Boolean({ description: 'Whether there are bars of seconds, which are of the last hour.' }),
    has_daily: Type.Boolean(),
    has_weekly_and_monthly: Type.Boolean(),
    intraday_multipliers: Type.Array(Type.String()),
    seconds_multipliers: Type.Array(Type.String(), { description: 'Lengths of bars of seconds.' }),
    supported_resolutions: Type.Array(Type.Unsafe<Resolution>(OneOf(resolutionNames))),
    visible_plots_set: Type.Literal('ohlcv'),
    volume_precision: Type.Integer(),
    data_status: Type.Literal('streaming'),
  },
  {
    description: 'The price of a token in one currency, or its market capitalisation.',
    examples: [
      {
        name: 'HCAT/ETH',
        ticker: TICKER,
        description: 'Harbour Cat',
        type: 'crypto',
        session: '24x7',
        timezone: 'Etc/UTC',
        exchange: 'Slipway',
        listed_exchange: 'Slipway',
        'exchange-traded': 'Slipway',
        'exchange-listed': 'Slipway',
        currency_code: 'ETH',
        format: 'price',
        minmov: 1,
        minmov2: 0,
        pointvalue: 1,
        pricescale: 1e16,
        has_intraday: true,
        has_seconds: true,
        has_daily: true,
        has_weekly_and_monthly: false,
        intraday_multipliers: minuteMultipliers,
        seconds_multipliers: secondMultipliers,
        supported_resolutions: resolutionNames,
        visible_plots_set: 'ohlcv',
        volume_precision: 6,
        data_status: 'streaming',
      },
    ],
  },
)

export const UdfSearchQuery = Type.Object({
  query: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: '^[^\\u0000]*$',
      default: '',
      description: 'Part of a name or symbol, or an address. If empty, the most traded tokens are returned.',
      'x-expects': 'must not contain control characters',
    }),
  ),
  type: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Symbol type; only `crypto` and `fundamental` exist.',
    }),
  ),
  exchange: Type.Optional(Type.String({ maxLength: 100, description: 'Exchange; only this one exists.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 30, description: 'Maximum number of symbols to return.' }),
  ),
})

const Found = Type.Object({
  symbol: Type.String(),
  full_name: Type.String(),
  description: Type.String(),
  exchange: Type.String(),
  ticker: Type.String(),
  type: SymbolType,
})
export const UdfSearch = Type.Array(Found, {
  description: 'Best match first.',
  examples: [
    [
      {
        symbol: 'HCAT/ETH',
        full_name: 'Slipway:HCAT/ETH',
        description: 'Harbour Cat',
        exchange: 'Slipway',
        ticker: TICKER,
        type: 'crypto',
      },
    ],
  ],
})

const time = (description: string, minimum = 0) => Type.Integer({ minimum, maximum: MAX_UNIX_TIME, description })
const resolution = Type.Unsafe<Resolution | 'D'>(
  OneOf([...resolutionNames, 'D'], {
    description:
      'Bar length in minutes, `1D` or `D` for a day, or in seconds with the suffix `S`. Bars of seconds are of the last hour.',
  }),
)

export const UdfHistoryQuery = Type.Object({
  symbol,
  resolution,
  from: Type.Optional(time('Earliest start of a bar, in Unix seconds. Required without countback.', -MAX_UNIX_TIME)),
  to: time('Latest start of a bar, in Unix seconds. May lie in the future.'),
  countback: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: `Number of bars to return, ending at to; overrides from. At most ${MAX_BARS} are returned.`,
    }),
  ),
})

const Series = (description: string) => Type.Optional(Type.Array(Type.Number(), { description }))

export const UdfHistory = component(
  'UdfHistory',
  {
    s: OneOf(['ok', 'no_data']),
    t: Type.Optional(
      Type.Array(Type.Integer(), { description: 'Start times of the bars in Unix seconds, ascending.' }),
    ),
    o: Series('Open prices, or market capitalisations.'),
    h: Series('High prices.'),
    l: Series('Low prices.'),
    c: Series('Close prices.'),
    v: Series('Volumes in whole coins of the currency.'),
    nextTime: Type.Optional(
      Type.Integer({ description: 'Start of the last bar, if the range has no bar but an earlier one exists.' }),
    ),
  },
  {
    description:
      'Bars as columns of equal length, one bar for every interval since the launch, with or without trades.',
    examples: [
      {
        s: 'ok',
        t: [1_795_168_500, 1_795_168_800],
        o: [2.1e-9, 2.36328125e-9],
        h: [2.36328125e-9, 2.36328125e-9],
        l: [2.1e-9, 2.36328125e-9],
        c: [2.36328125e-9, 2.36328125e-9],
        v: [0.12, 0],
      },
    ],
  },
)

export const UdfMarksQuery = Type.Object({
  symbol,
  resolution,
  from: time('Unix seconds.', -MAX_UNIX_TIME),
  to: time('Unix seconds.'),
})

export const UdfMarks = component(
  'UdfMarks',
  {
    id: Type.Array(Type.Integer()),
    time: Type.Array(Type.Integer({ description: 'Start of the bar that the mark belongs to, in Unix seconds.' })),
    color: Type.Array(Type.String()),
    text: Type.Array(Type.String()),
    label: Type.Array(Type.String({ maxLength: 1 })),
    labelFontColor: Type.Array(Type.String()),
    minSize: Type.Array(Type.Integer()),
  },
  {
    description: 'Marks for launch and graduation, as columns of equal length.',
    examples: [
      {
        id: [1],
        time: [1_795_168_500],
        color: ['blue'],
        text: ['Launched'],
        label: ['L'],
        labelFontColor: ['white'],
        minSize: [16],
      },
    ],
  },
)

export const UdfTime = {
  description: 'Server time in Unix seconds.',
  content: { 'text/plain': { schema: Type.String({ pattern: '^[0-9]+$', examples: ['1795176000'] }) } },
}

export const components = [UdfError, UdfConfig, UdfSymbol, UdfHistory, UdfMarks]
