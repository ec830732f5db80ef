import type { ScreenerState } from '../../db/queries/screener.ts'
import type { RangeName, statuses } from '../../schemas/screener.ts'
import {
  FLAG_VALUES,
  FLAGS,
  type FloatColumn,
  type IntegerColumn,
  KINDS,
  type TokenColumns,
  toWords,
} from './token-columns.ts'
import { type Bounds, toNativeBounds } from './usd-bounds.ts'

/** What a token must be like. A property that is missing excludes none. */
export interface TokenFilter {
  ranges: readonly (Bounds & { name: RangeName })[]
  status?: readonly (typeof statuses)[number][]
  hasLinks?: boolean
  featured?: boolean
  /** Lower case. */
  creator?: string
  /** Kinds of launchpads. */
  launchpad?: readonly string[]
  /** Addresses of quote assets, in lower case; the zero address: the native coin. */
  quote?: readonly string[]
  /** Words that are in neither name nor symbol, in lower case. */
  exclude?: readonly string[]
}

/** Bounds of a column, from those of a request; null if no token matches. */
type ToColumn = (bounds: Bounds, state: ScreenerState) => Bounds | null

type Measure = { toColumn?: ToColumn } & ({ float: FloatColumn } | { integer: IntegerColumn })

const toTime: ToColumn = ({ min, max }, { clock }) => ({ min: clock - max, max: clock - min })
const toNative: ToColumn = (bounds, { nativeUsd }) => (nativeUsd === null ? null : toNativeBounds(bounds, nativeUsd))
const ifPriced: ToColumn = (bounds, { nativeUsd }) => (nativeUsd === null ? null : bounds)

/** The column of each range. A new range is an entry here, one in schemas/screener.ts, and its column. */
const measures: Record<RangeName, Measure> = {
  age: { float: 'createdAt', toColumn: toTime },
  marketCapUsd: { float: 'marketCap', toColumn: toNative },
  liquidityUsd: { float: 'liquidity', toColumn: toNative },
  'volumeUsd.m5': { float: 'volumeUsdM5', toColumn: ifPriced },
  'volumeUsd.h1': { float: 'volumeUsdH1', toColumn: ifPriced },
  'volumeUsd.h6': { float: 'volumeUsdH6', toColumn: ifPriced },
  'volumeUsd.h24': { float: 'volumeUsdH24', toColumn: ifPriced },
  'trades.m5': { integer: 'tradesM5' },
  'trades.h1': { integer: 'tradesH1' },
  'trades.h6': { integer: 'tradesH6' },
  'trades.h24': { integer: 'tradesH24' },
  'buys.m5': { integer: 'buysM5' },
  'buys.h1': { integer: 'buysH1' },
  'buys.h6': { integer: 'buysH6' },
  'buys.h24': { integer: 'buysH24' },
  'sells.m5': { integer: 'sellsM5' },
  'sells.h1': { integer: 'sellsH1' },
  'sells.h6': { integer: 'sellsH6' },
  'sells.h24': { integer: 'sellsH24' },
  'makers.m5': { integer: 'makersM5' },
  'makers.h1': { integer: 'makersH1' },
  'makers.h6': { integer: 'makersH6' },
  'makers.h24': { integer: 'makersH24' },
  'priceChangePct.m5': { float: 'changeM5' },
  'priceChangePct.h1': { float: 'changeH1' },
  'priceChangePct.h6': { float: 'changeH6' },
  'priceChangePct.h24': { float: 'changeH24' },
  progressPct: { float: 'progress' },
  holders: { integer: 'holders' },
  top10Pct: { float: 'top10Pct' },
  creatorHeldPct: { float: 'creatorHeldPct' },
  sniperPct: { float: 'sniperPct' },
  bundlerPct: { float: 'bundlerPct' },
}

/** Whether another price of the native coin changes which tokens match. */
export const dependsOnPrice = ({ ranges }: TokenFilter): boolean =>
  ranges.some(({ name }) => name !== 'age' && measures[name].toColumn !== undefined)

/** A filter in terms of the columns at one state. */
export interface CompiledFilter {
  /** 1 for each value of the flags that it allows. */
  flags: Uint8Array
  floats: readonly (Bounds & { column: FloatColumn })[]
  integers: readonly (Bounds & { column: IntegerColumn })[]
  creator: readonly number[] | null
  /** Numbers of kinds: see KINDS. */
  launchpads: readonly number[] | null
  /** Numbers of quote assets: see ScreenerState. */
  quotes: readonly number[] | null
  exclude: readonly string[]
}

/** Null if no token can match. Hidden tokens never do. */
export function compileFilter(filter: TokenFilter, state: ScreenerState): CompiledFilter | null {
  const floats: (Bounds & { column: FloatColumn })[] = []
  const integers: (Bounds & { column: IntegerColumn })[] = []
  for (const { name, ...given } of filter.ranges) {
    const measure = measures[name]
    const bounds = measure.toColumn ? measure.toColumn(given, state) : given
    if (bounds === null) return null
    if ('float' in measure) floats.push({ column: measure.float, ...bounds })
    else integers.push({ column: measure.integer, ...bounds })
  }
  const creator = filter.creator === undefined ? null : toWords(filter.creator)
  const launchpads = filter.launchpad?.map((kind) => KINDS.indexOf(kind)) ?? null
  const quotes = filter.quote?.map((address) => numberOfQuote(address, state)) ?? null
  const { exclude = [] } = filter
  return { flags: listAllowed(filter), floats, integers, creator, launchpads, quotes, exclude }
}

/** No token has the number of an unknown asset. */
const numberOfQuote = (address: string, { quotes }: ScreenerState): number =>
  BigInt(address) === 0n ? 0 : (quotes[address] ?? -1)

function listAllowed({ status, hasLinks, featured }: TokenFilter): Uint8Array {
  const isIn = (flags: number, flag: number) => (flags & flag) !== 0
  const isAllowed = (flags: number) =>
    !isIn(flags, FLAGS.hidden) &&
    (status === undefined || status.some((name) => isIn(flags, FLAGS[name]))) &&
    (hasLinks === undefined || isIn(flags, FLAGS.hasLinks) === hasLinks) &&
    (featured === undefined || isIn(flags, FLAGS.featured) === featured)
  return Uint8Array.from({ length: FLAG_VALUES }, (_, flags) => Number(isAllowed(flags)))
}

/** Writes the rows that match into `rows`, which has room for all. Returns their number. */
export function selectRows(columns: TokenColumns, filter: CompiledFilter, rows: Int32Array): number {
  const { flags, size } = columns
  const allowed = filter.flags
  let found = 0
  for (let row = 0; row < size; row++) if (allowed[flags[row]!] === 1) rows[found++] = row
  if (filter.creator !== null) found = keepCreator(columns, filter.creator, rows, found)
  if (filter.launchpads !== null) found = keepOneOf(columns.integers.launchpad, filter.launchpads, rows, found)
  if (filter.quotes !== null) found = keepOneOf(columns.integers.quote, filter.quotes, rows, found)
  for (const { column, ...bounds } of filter.integers)
    found = keepIntegers(columns.integers[column], bounds, rows, found)
  for (const { column, ...bounds } of filter.floats) found = keepFloats(columns.floats[column], bounds, rows, found)
  // Last, because a text costs more than a number.
  return filter.exclude.length > 0 ? dropWords(columns, filter.exclude, rows, found) : found
}

/** Whether the token in a row matches. */
export function matchesRow(columns: TokenColumns, filter: CompiledFilter, row: number): boolean {
  const { flags, floats, integers } = columns
  const isWithin = (value: number, { min, max }: Bounds) => value >= min && value <= max
  const only = Int32Array.of(row)
  return (
    filter.flags[flags[row]!] === 1 &&
    (filter.creator === null || keepCreator(columns, filter.creator, only, 1) === 1) &&
    (filter.launchpads === null || filter.launchpads.includes(integers.launchpad[row]!)) &&
    (filter.quotes === null || filter.quotes.includes(integers.quote[row]!)) &&
    filter.integers.every(({ column, ...bounds }) => isWithin(integers[column][row]!, bounds)) &&
    filter.floats.every(({ column, ...bounds }) => isWithin(floats[column][row]!, bounds)) &&
    !filter.exclude.some((word) => columns.texts[row]!.includes(word))
  )
}

// A function for each kind of array: one for both would look up the kind for each value.

function keepFloats(values: Float64Array, { min, max }: Bounds, rows: Int32Array, count: number): number {
  let kept = 0
  for (let at = 0; at < count; at++) {
    const row = rows[at]!
    const value = values[row]!
    if (value >= min && value <= max) rows[kept++] = row
  }
  return kept
}

function keepIntegers(values: Int32Array, { min, max }: Bounds, rows: Int32Array, count: number): number {
  let kept = 0
  for (let at = 0; at < count; at++) {
    const row = rows[at]!
    const value = values[row]!
    if (value >= min && value <= max) rows[kept++] = row
  }
  return kept
}

function keepOneOf(values: Int32Array, allowed: readonly number[], rows: Int32Array, count: number): number {
  let kept = 0
  for (let at = 0; at < count; at++) {
    const row = rows[at]!
    if (allowed.includes(values[row]!)) rows[kept++] = row
  }
  return kept
}

function keepCreator({ creators }: TokenColumns, words: readonly number[], rows: Int32Array, count: number): number {
  let kept = 0
  for (let at = 0; at < count; at++) {
    const row = rows[at]!
    const first = row * words.length
    if (words.every((word, index) => creators[first + index] === word)) rows[kept++] = row
  }
  return kept
}

function dropWords({ texts }: TokenColumns, words: readonly string[], rows: Int32Array, count: number): number {
  let kept = 0
  for (let at = 0; at < count; at++) {
    const row = rows[at]!
    const text = texts[row]!
    if (!words.some((word) => text.includes(word))) rows[kept++] = row
  }
  return kept
}
