import type { Options } from '@slipway/sdk'
import { type Unit, writeFigure } from '../lib/read-figure.ts'

export type TokenQuery = NonNullable<Options<'listTokens'>['query']>
export type FilterName = Exclude<keyof TokenQuery, 'sort' | 'direction' | 'page' | 'limit' | 'cursor'>
/** Filters as the URL has them. Values that the service does not accept stay: it says what is wrong with them. */
export type Filters = Partial<Record<FilterName, string | number | boolean>>

type BoundName = Extract<FilterName, `min${string}` | `max${string}`>
export type Window = 'm5' | 'h1' | 'h6' | 'h24'
export const WINDOWS: Readonly<Record<Window, string>> = { m5: '5m', h1: '1h', h6: '6h', h24: '24h' }

export interface Range {
  id: string
  label: string
  unit: Unit
  /** Without them, the range has none. */
  windows?: readonly Window[]
}

/** The ranges that tokens are filtered by, in the order of the form. */
export const RANGES: readonly Range[] = [
  { id: 'age', label: 'Age', unit: 'duration' },
  { id: 'marketCapUsd', label: 'Market cap', unit: 'usd' },
  { id: 'liquidityUsd', label: 'Liquidity', unit: 'usd' },
  { id: 'progressPct', label: 'Progress of the curve', unit: 'percent' },
  { id: 'volumeUsd', label: 'Volume', unit: 'usd', windows: ['m5', 'h1', 'h6', 'h24'] },
  { id: 'trades', label: 'Trades', unit: 'count', windows: ['m5', 'h1', 'h6', 'h24'] },
  { id: 'buys', label: 'Buys', unit: 'count', windows: ['m5', 'h1', 'h6', 'h24'] },
  { id: 'sells', label: 'Sells', unit: 'count', windows: ['m5', 'h1', 'h6', 'h24'] },
  { id: 'priceChangePct', label: 'Price change', unit: 'percent', windows: ['m5', 'h1', 'h6', 'h24'] },
  { id: 'makers', label: 'Traders', unit: 'count', windows: ['m5', 'h1', 'h6', 'h24'] },
  { id: 'holders', label: 'Holders', unit: 'count' },
  { id: 'top10Pct', label: 'Top 10 hold', unit: 'percent' },
  { id: 'creatorHeldPct', label: 'Creator holds', unit: 'percent' },
  { id: 'sniperPct', label: 'Snipers hold', unit: 'percent' },
  { id: 'bundlerPct', label: 'Bundlers hold', unit: 'percent' },
]

export const STATUSES = [
  { id: 'curve', label: 'On curve' },
  { id: 'completed', label: 'Completed' },
  { id: 'graduated', label: 'Graduated' },
] as const

/** The parameter of a bound: minHolders, maxVolumeUsd.h1. */
export const boundName = (bound: 'min' | 'max', { id }: Range, window?: Window): BoundName =>
  `${bound}${id[0]?.toUpperCase()}${id.slice(1)}${window ? `.${window}` : ''}` as BoundName

const windowsOf = ({ windows }: Range): readonly (Window | undefined)[] => windows ?? [undefined]

const SETS = ['status', 'launchpad', 'hasLinks', 'featured', 'creator'] as const satisfies FilterName[]
const NAMES: readonly FilterName[] = [
  ...SETS,
  ...RANGES.flatMap((range) =>
    windowsOf(range).flatMap((window) => [boundName('min', range, window), boundName('max', range, window)]),
  ),
]

/** The filters among the parameters of a URL, or of a stored preset. */
export function pickFilters(parameters: Readonly<Record<string, unknown>>): Filters {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = parameters[name]
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[name, value]] : []
    }),
  )
}

/** Parameters that remove every filter from the URL. */
export const NO_FILTERS = Object.fromEntries(NAMES.map((name) => [name, undefined]))

/** One condition in words, with the parameters that make it. */
export interface Condition {
  names: readonly FilterName[]
  label: string
  text: string
}

const listed = (options: readonly { id: string; label: string }[], value: unknown) =>
  String(value)
    .split(',')
    .map((id) => options.find((one) => one.id === id)?.label ?? id)
    .join(', ')

/** The conditions that filters make: a range with both ends is one. */
export function describeFilters(filters: Filters, launchpads: readonly { id: string; label: string }[]): Condition[] {
  const { status, launchpad, hasLinks, featured, creator } = filters
  const sets: (Condition | false)[] = [
    status !== undefined && { names: ['status'], label: 'Status', text: listed(STATUSES, status) },
    launchpad !== undefined && { names: ['launchpad'], label: 'Launchpad', text: listed(launchpads, launchpad) },
    hasLinks !== undefined && { names: ['hasLinks'], label: 'Links', text: hasLinks === true ? 'yes' : 'none' },
    featured !== undefined && { names: ['featured'], label: 'Featured', text: featured === true ? 'yes' : 'no' },
    creator !== undefined && { names: ['creator'], label: 'Creator', text: shortenCreator(String(creator)) },
  ]
  return [...sets.filter((one) => one !== false), ...RANGES.flatMap((range) => describeRange(filters, range))]
}

const shortenCreator = (creator: string) =>
  creator.length > 13 ? `${creator.slice(0, 6)}…${creator.slice(-4)}` : creator

function describeRange(filters: Filters, range: Range): Condition[] {
  return windowsOf(range).flatMap((window) => {
    const ends = (['min', 'max'] as const).map((bound) => boundName(bound, range, window))
    const names = ends.filter((name) => filters[name] !== undefined)
    if (names.length === 0) return []
    const [min, max] = ends.map((name) => {
      const value = filters[name]
      return value === undefined ? undefined : withUnit(writeFigure(String(value), range.unit), range.unit)
    })
    const text = min === undefined ? `≤ ${max}` : max === undefined ? `≥ ${min}` : `${min} – ${max}`
    return [{ names, label: window ? `${range.label} ${WINDOWS[window]}` : range.label, text }]
  })
}

const withUnit = (text: string, unit: Unit) => (unit === 'usd' ? `$${text}` : unit === 'percent' ? `${text}%` : text)

/** What a parameter is called in the form: `Holders, at least`. */
export function labelOf(name: string): string {
  for (const range of RANGES)
    for (const window of windowsOf(range))
      for (const [bound, words] of [
        ['min', 'at least'],
        ['max', 'at most'],
      ] as const)
        if (boundName(bound, range, window) === name)
          return `${range.label}${window ? ` ${WINDOWS[window]}` : ''}, ${words}`
  return name[0] ? name[0].toUpperCase() + name.slice(1) : name
}
