import { AppError } from '../../errors.ts'
import { boundName, filterProperties, type RangeName, ranges, type statuses } from '../../schemas/screener.ts'
import type { TokenFilter } from './filters.ts'

const rangeNames = Object.keys(ranges) as RangeName[]
const isFilter = (name: string): boolean => Object.hasOwn(filterProperties, name)
const looksLikeRange = (name: string): boolean => /^(min|max)[A-Z]/.test(name)

const invalid = (part: string, name: string, problem: string) =>
  new AppError('INVALID_INPUT', { field: `${part}.${name.replace(/[^\x20-\x7e]/g, '?').slice(0, 64)}`, problem })

/**
 * The filter of a validated query; null if it has none. `others` are the list's other parameters, `part` names the query. Throws INVALID_INPUT for an
 * unknown range, and for any unknown parameter beside a filter: without the filter that was meant, other tokens would be listed.
 */
export function readFilter(
  query: Record<string, unknown>,
  others: readonly string[],
  part = 'query',
): TokenFilter | null {
  const names = Object.keys(query)
  const isFiltered = names.some(isFilter)
  for (const name of names) {
    const isKnown = isFilter(name) || others.includes(name)
    if (!isKnown && (isFiltered || looksLikeRange(name))) throw invalid(part, name, describeUnknown(name))
  }
  if (!isFiltered) return null
  const { status, hasLinks, featured, creator, launchpad, quote, exclude } = query
  return {
    ranges: readRanges(query, part),
    ...(status !== undefined && { status: String(status).split(',') as (typeof statuses)[number][] }),
    ...(hasLinks !== undefined && { hasLinks: hasLinks as boolean }),
    ...(featured !== undefined && { featured: featured as boolean }),
    ...(creator !== undefined && { creator: creator as string }),
    ...(launchpad !== undefined && { launchpad: String(launchpad).split(',') }),
    ...(quote !== undefined && { quote: String(quote).toLowerCase().split(',') }),
    ...(exclude !== undefined && { exclude: String(exclude).toLowerCase().split(',') }),
  }
}

function readRanges(query: Record<string, unknown>, part: string): TokenFilter['ranges'] {
  return rangeNames.flatMap((name) => {
    const [lower, upper] = [boundName('min', name), boundName('max', name)]
    const [min, max] = [query[lower] as number | undefined, query[upper] as number | undefined]
    if (min === undefined && max === undefined) return []
    if (min !== undefined && max !== undefined && min > max)
      throw invalid(part, lower, `must not be above ${part}.${upper}`)
    return [{ name, min: min ?? Number.NEGATIVE_INFINITY, max: max ?? Number.POSITIVE_INFINITY }]
  })
}

/** Names the windows of a range that is not kept for the one that was given. */
function describeUnknown(name: string): string {
  const [given = '', window] = name.split('.')
  const bound = given.startsWith('min') ? 'min' : 'max'
  const windows = rangeNames.flatMap((range) => {
    const [base, each] = boundName(bound, range).split('.')
    return base === given && each !== undefined ? [each] : []
  })
  if (!looksLikeRange(name) || windows.length === 0) return 'is not a filter of this list'
  const kept = windows.map((each) => `${given}.${each}`).join(', ')
  return window === undefined ? `needs a window: ${kept}` : `has no such window; use ${kept}`
}
