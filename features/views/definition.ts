import { createHash } from 'node:crypto'
import { statuses } from '../../schemas/screener.ts'
import { VIEW_TOKENS, type ViewQuery } from '../../schemas/view-query.ts'
import { type NamedView, namedViews } from '../../schemas/views.ts'
import { readFilter } from '../screener/read-filter.ts'
import { restrictTo } from '../screener/search.ts'
import type { ViewDefinition } from './ranking.ts'

export interface DefinedView {
  /** Its channel. */
  name: string
  definition: ViewDefinition
}

/** Equal for queries that list the same tokens in the same order. */
function toKey({ filter, order, limit }: ViewDefinition): string {
  const { ranges, status = statuses, ...others } = restrictTo(order.sort, filter)
  // JSON has no infinity: an open end is null.
  const bounds = ranges.map(({ name, min, max }) => [name, min, max])
  // A filter that is added later counts as well.
  const rest = Object.entries({ ...others, status })
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)].sort() : value])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
  return JSON.stringify([order.sort, order.direction, limit, bounds, rest])
}

const define = ({
  filter = {},
  sort = 'trending',
  direction = 'desc',
  limit = VIEW_TOKENS,
}: ViewQuery): ViewDefinition => ({
  filter: readFilter({ ...filter }, [], 'message.filter') ?? { ranges: [] },
  order: { sort, direction },
  limit,
})

const named = new Map(
  (Object.entries(namedViews) as [NamedView, ViewQuery][]).map(([name, query]) => [`view:${name}`, define(query)]),
)
const namesByKey = new Map([...named].map(([name, definition]) => [toKey(definition), name]))

/** The view of a validated query. Throws INVALID_INPUT, which names the field. */
export function defineView(query: ViewQuery): DefinedView {
  const creator = query.filter?.creator?.toLowerCase()
  const definition = define({ ...query, filter: { ...query.filter, ...(creator !== undefined && { creator }) } })
  const key = toKey(definition)
  const name = namesByKey.get(key) ?? `view:${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
  return { name, definition }
}

/** A view by the name of its channel; undefined if that is not one of the named views. */
export function findNamedView(name: string): DefinedView | undefined {
  const definition = named.get(name)
  return definition && { name, definition }
}
