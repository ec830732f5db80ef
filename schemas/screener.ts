import { type Static, type TNumber, type TOptional, Type } from '@sinclair/typebox'
import { Address, MAX_UNIX_TIME, OneOf } from './common.ts'

/** What a range of the token list is about. */
interface Range {
  description: string
  /** Whole numbers only. */
  integer?: boolean
  minimum: number
  maximum: number
}

const usd = (description: string): Range => ({
  description: `${description} in US dollars. Without a price of the native coin no token matches`,
  minimum: 0,
  maximum: 1e18,
})
const count = (description: string): Range => ({ description, integer: true, minimum: 0, maximum: 2_147_483_647 })
const percent = (description: string): Range => ({ description: `${description} in percent`, minimum: 0, maximum: 100 })
const change = (time: string): Range => ({
  description: `Price change over ${time} in percent, or since a later launch`,
  minimum: -100,
  maximum: 1e12,
})

/** The ranges by which the token list is filtered: `minHolders`, `maxHolders`. A window follows a dot: `minTrades.h24`. */
export const ranges = {
  age: {
    description: 'Seconds since the launch, by the time of the newest block',
    integer: true,
    minimum: 0,
    maximum: MAX_UNIX_TIME,
  },
  marketCapUsd: usd('Market cap'),
  liquidityUsd: usd('Liquidity'),
  'volumeUsd.m5': usd('Volume of the minutes that began in the last five'),
  'volumeUsd.h1': usd('Volume of the last hour'),
  'volumeUsd.h6': usd('Volume of the minutes that began in the last six hours'),
  'volumeUsd.h24': usd('Volume of the last day'),
  'trades.m5': count('Trades of the minutes that began in the last five'),
  'trades.h1': count('Trades of the last hour'),
  'trades.h6': count('Trades of the minutes that began in the last six hours'),
  'trades.h24': count('Trades of the last day'),
  'buys.m5': count('Purchases of the minutes that began in the last five'),
  'buys.h1': count('Purchases of the last hour'),
  'buys.h6': count('Purchases of the minutes that began in the last six hours'),
  'buys.h24': count('Purchases of the last day'),
  'sells.m5': count('Sales of the minutes that began in the last five'),
  'sells.h1': count('Sales of the last hour'),
  'sells.h6': count('Sales of the minutes that began in the last six hours'),
  'sells.h24': count('Sales of the last day'),
  'makers.m5': count('Wallets that traded in the minutes that began in the last five'),
  'makers.h1': count('Wallets that traded in the minutes that began in the last hour'),
  'makers.h6': count('Wallets that traded in the minutes that began in the last six hours'),
  'makers.h24': count('Wallets that traded in the last day'),
  'priceChangePct.m5': change('five minutes'),
  'priceChangePct.h1': change('one hour'),
  'priceChangePct.h6': change('six hours'),
  'priceChangePct.h24': change('one day'),
  progressPct: percent('Quote asset raised by the curve, of the target,'),
  holders: count('Wallets with a balance'),
  top10Pct: percent('Share of the ten largest holders'),
  creatorHeldPct: percent('Share of the creator'),
  sniperPct: percent('Share of the wallets that bought within seconds of the first trade'),
  bundlerPct: percent('Share of the wallets that bought in a bundle at the launch'),
} as const satisfies Record<string, Range>

export type RangeName = keyof typeof ranges

type BoundName<Name extends string> = `${'min' | 'max'}${Capitalize<Name>}`
type RangeProperties = { [Name in RangeName as BoundName<Name>]: TOptional<TNumber> }

/** The parameter of a bound: minHolders. */
export const boundName = <Name extends RangeName>(bound: 'min' | 'max', name: Name) =>
  `${bound}${name[0]!.toUpperCase()}${name.slice(1)}` as BoundName<Name>

const rangeNames = Object.keys(ranges) as RangeName[]

const rangeProperties = Object.fromEntries(
  rangeNames.flatMap((name) => {
    const { description, integer = false, minimum, maximum }: Range = ranges[name]
    const bound = (which: 'min' | 'max', words: string) => {
      const options = { minimum, maximum, description: `${description}: at ${words}.` }
      return [boundName(which, name), Type.Optional(integer ? Type.Integer(options) : Type.Number(options))] as const
    }
    return [bound('min', 'least'), bound('max', 'most')]
  }),
) as unknown as RangeProperties

export const statuses = ['curve', 'completed', 'graduated'] as const

const anyStatus = `(${statuses.join('|')})`

/** The filters of the token list. */
export const filterProperties = {
  status: Type.Optional(
    Type.String({
      pattern: `^${anyStatus}(,${anyStatus}){0,2}$`,
      description: `Only tokens in one of these states: a comma-separated list of ${statuses.join(', ')}.`,
      examples: ['curve,completed'],
      'x-expects': `must be a comma-separated list of ${statuses.join(', ')}`,
    }),
  ),
  hasLinks: Type.Optional(Type.Boolean({ description: 'Only tokens with a link, or only those without.' })),
  featured: Type.Optional(Type.Boolean({ description: 'Only featured tokens, or only those that are not.' })),
  creator: Type.Optional({ ...Address, description: 'Only tokens of this creator.' }),
  launchpad: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9-]{1,32}(,[a-z0-9-]{1,32}){0,9}$',
      description: 'Only tokens of these launchpads: a comma-separated list of kinds, as /config lists them.',
      examples: ['slipway', 'slipway,nad-fun'],
      'x-expects': 'must be a comma-separated list of kinds of launchpads',
    }),
  ),
  quote: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40}){0,9}$',
      description:
        'Only tokens priced in these assets: a comma-separated list of addresses, as /config lists them; the zero address is the ' +
        'native coin.',
      examples: ['0x0000000000000000000000000000000000000000'],
      'x-expects': 'must be a comma-separated list of addresses of quote assets',
    }),
  ),
  exclude: Type.Optional(
    Type.String({
      pattern: '^[^,]{1,32}(,[^,]{1,32}){0,4}$',
      description:
        'Only tokens that have none of these in their name or symbol, in any letter case: a comma-separated list of up to five ' +
        'words or parts of words, with at most 32 characters each.',
      examples: ['inu,elon'],
      'x-expects': 'must be a comma-separated list of up to five words with at most 32 characters each',
    }),
  ),
  ...rangeProperties,
}

/** Orders of the token list that an index has. */
const indexedOrders = ['trending', 'newest', 'mcap', 'volume', 'curve', 'graduated'] as const
/** Orders by figures in memory. */
const figureOrders = ['liquidity', 'trades', 'holders', 'change'] as const

/** Orders of the token list. */
export const TokenOrder = OneOf([...indexedOrders, ...figureOrders], {
  default: 'trending',
  description:
    'trending: traded volume, weighted towards recent trades. newest: latest launch first. mcap: market cap. ' +
    'volume: volume of the last day. curve: not graduated, closest to completion first. graduated: latest ' +
    'graduation first. liquidity: liquidity in native coin. trades: trades of the last day. holders: wallets with a ' +
    'balance. change: price change of the last day.',
})

export const TokenDirection = OneOf(['desc', 'asc'], {
  default: 'desc',
  description: 'desc: as said. asc: the other way round. Tokens whose figure is unknown come last in both.',
})

/** An order of the token list, with its direction. */
export interface TokenOrdering {
  sort: Static<typeof TokenOrder>
  direction: Static<typeof TokenDirection>
}
