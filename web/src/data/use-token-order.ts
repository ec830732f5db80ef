import { useNavigate, useSearch } from '@tanstack/react-router'
import { FIGURE_SORTS, SORTS, type Sort } from './tokens.ts'
import { PAGES } from './url-state.ts'

type Search = Record<string, unknown>
type Direction = 'desc' | 'asc'

/** The order of the token list, which the URL holds: it can be shared, and back and forward change it. */
export function useTokenOrder() {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const known = [...SORTS.map(({ id }) => id), ...FIGURE_SORTS]
  const sort: Sort = known.find((id) => id === search.sort) ?? 'trending'
  const direction: Direction = search.direction === 'asc' ? 'asc' : 'desc'
  const write = (next: Sort, way: Direction) => {
    const order = { sort: next === 'trending' ? undefined : next, direction: way === 'desc' ? undefined : way }
    void navigate({
      to: '.',
      search: ((all: Search) => ({ ...all, [PAGES]: undefined, ...order })) as never,
      resetScroll: false,
    })
  }
  return {
    sort,
    direction,
    select: (next: Sort) => write(next, 'desc'),
    /** Orders by a column, and by the column that it is ordered by the other way round. */
    toggle: (next: Sort) => write(next, next === sort && direction === 'desc' ? 'asc' : 'desc'),
  }
}
