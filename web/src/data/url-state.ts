import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'

type Search = Record<string, unknown>
/** The parameter that says how many pages of a list are shown. */
export const PAGES = 'pages'
const MAX_PAGES = 20
const TYPING_MS = 300

/** A parameter of the URL as text, and what changes it. */
export function useParameter(name: string) {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  // The router reads numbers and booleans from the URL as such.
  const value = search[name] === undefined ? undefined : String(search[name])
  /** `replace`: without a step for the browser's back button. `reset`: another parameter that no longer applies. */
  const write = (
    next: string | number | undefined,
    { replace = false, reset }: { replace?: boolean; reset?: string } = {},
  ) =>
    void navigate({
      to: '.',
      search: ((all: Search) => ({ ...all, ...(reset && { [reset]: undefined }), [name]: next })) as never,
      replace,
      resetScroll: false,
    })
  return { value, write }
}

/** A choice of an option that the URL holds: it survives a reload, can be shared, and back and forward change it. */
export function useUrlChoice<Id extends string>(
  name: string,
  options: readonly { id: Id }[],
  fallback: NoInfer<Id>,
): [Id, (id: Id) => void] {
  const { value, write } = useParameter(name)
  const selected = options.find(({ id }) => id === value)?.id ?? fallback
  return [
    selected,
    (id) => {
      if (id !== selected) write(id === fallback ? undefined : id, { reset: PAGES })
    },
  ]
}

/** A typed text that the URL holds after a pause. What is typed is one step for the browser's back button, not many. */
export function useUrlText(name: string): [string, (text: string) => void] {
  const { value = '', write } = useParameter(name)
  const [text, setText] = useState(value)
  const written = useRef(value)
  useEffect(() => {
    if (value === written.current) return
    written.current = value
    setText(value)
  }, [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `write` is new each time
  useEffect(() => {
    if (text === written.current) return
    const timer = setTimeout(() => {
      written.current = text
      write(text === '' ? undefined : text, { replace: value !== '', reset: PAGES })
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, value])
  return [text, setText]
}

interface PagedList {
  data: { pages: readonly unknown[] } | undefined
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  fetchNextPage(): unknown
}

/** Shows as many pages of a list as the URL says. Returns what shows one more; null at the end of the list. */
export function useUrlPages(list: PagedList, parameter = PAGES): (() => void) | null {
  const { value, write } = useParameter(parameter)
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const wanted = Math.min(MAX_PAGES, Math.max(1, Math.floor(Number(value) || 1)))
  const loaded = data?.pages.length ?? 0
  const isDue = loaded > 0 && loaded < wanted && hasNextPage && !isFetchingNextPage && !isFetchNextPageError
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page
  useEffect(() => {
    if (isDue) void fetchNextPage()
  }, [isDue, loaded])
  if (!hasNextPage) return null
  return () => {
    if (loaded >= wanted && loaded < MAX_PAGES) write(String(loaded + 1), { replace: true })
    else void fetchNextPage()
  }
}
