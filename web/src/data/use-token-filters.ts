import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type FilterName, type Filters, NO_FILTERS, pickFilters } from './token-filters.ts'
import type { Sort } from './tokens.ts'
import { PAGES } from './url-state.ts'

type Search = Record<string, unknown>

/** The filters of the token list, which the URL holds: they can be shared, and back and forward change them. */
export function useTokenFilters() {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const filters = useMemo(() => pickFilters(search), [search])
  const write = (change: (all: Search) => Search) =>
    void navigate({
      to: '.',
      search: ((all: Search) => ({ ...all, [PAGES]: undefined, ...change(all) })) as never,
      resetScroll: false,
    })
  return {
    filters,
    change: (changed: Partial<Record<FilterName, string | number | boolean | undefined>>) => write(() => changed),
    /** Sets exactly these filters, and the order if one is given. */
    replace: (next: Filters, sort?: Sort) =>
      write(() => ({ ...NO_FILTERS, ...next, ...(sort && { sort, direction: undefined }) })),
    clear: () => write(() => NO_FILTERS),
  }
}
