import type { Options, Schema } from '@slipway/sdk'

export type Token = Schema<'Token'>
export type Trade = Schema<'Trade'>
export type Comment = Schema<'Comment'>
export type Candle = Schema<'Chart'>['candles'][number]
export type Quote = Schema<'Quote'>
export type Sort = NonNullable<NonNullable<Options<'listTokens'>['query']>['sort']>
export type Interval = Schema<'Chart'>['interval']
export type Currency = Schema<'Chart'>['currency']

/** Orders of the token list. */
export const SORTS: readonly { id: Sort; label: string }[] = [
  { id: 'trending', label: 'Trending' },
  { id: 'mcap', label: 'Market cap' },
  { id: 'volume', label: 'Volume' },
  { id: 'newest', label: 'Newest' },
  { id: 'curve', label: 'Progress' },
  { id: 'graduated', label: 'Graduated' },
]

/** Orders that columns alone offer. */
export const FIGURE_SORTS: readonly Sort[] = ['liquidity', 'holders', 'change']

export const INTERVALS: readonly Interval[] = ['1s', '15s', '1m', '5m', '15m', '30m', '1h', '4h', '1d']
