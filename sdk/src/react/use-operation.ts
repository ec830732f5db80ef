import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import type { PreparedCall } from '../api/bind.ts'
import type { Item, ListOperation, Page } from '../iterate.ts'
import { useSlipway } from './provider.ts'
import { type AnyOperation, keyOf, metaOf, type OptionsOf } from './query-key.ts'
import { isWorthRetrying, type LiveSettings, useEvents } from './use-events.ts'

export type OperationResult<Data> = UseQueryResult<Data> & {
  /** Whether live events keep the data current; otherwise they are polled. */
  isLive: boolean
}

/**
 * Any operation as a query, requested again after events of `rooms`: `useOperation(api.profiles.get.with(wallet), { enabled })`, or
 * `useOperation(getProfile, { path: { wallet } }, { enabled })`.
 */
export function useOperation<Answer>(
  call: PreparedCall<Answer>,
  settings?: LiveSettings<Answer>,
): OperationResult<Answer>
export function useOperation<Operation extends AnyOperation>(
  operation: Operation,
  options?: OptionsOf<Operation>[0],
  settings?: LiveSettings<Awaited<ReturnType<Operation>>>,
): OperationResult<Awaited<ReturnType<Operation>>>
export function useOperation<Data>(
  operation: AnyOperation,
  ...given: [unknown?, LiveSettings<Data>?]
): OperationResult<Data> {
  const [options, settings] = readArguments<Data>(operation, given)
  const { client, pollMs } = useSlipway()
  const queryKey = withScope(keyOf(operation, options ?? {}), settings)
  const { isLive, track } = useEvents(queryKey, settings)
  const retry = useRetry()
  const query = useQuery<Data>({
    queryKey,
    queryFn: track(({ signal }) => operation(client, { ...(options as object), signal }) as Promise<Data>),
    meta: metaOf(operation),
    enabled: settings.enabled ?? true,
    refetchInterval: isPolling(settings, isLive) ? pollMs : false,
    placeholderData: (previous) => keep(settings, previous as Data | undefined) as never,
    ...retry,
  })
  return extendResult(query, { isLive })
}

export type Pages<Operation extends ListOperation> = InfiniteData<Awaited<ReturnType<Operation>>, string | undefined>

export type ListResult<Operation extends ListOperation> = UseInfiniteQueryResult<Pages<Operation>> & {
  /** The items of all pages that were loaded. */
  items: Item<Operation>[]
  isLive: boolean
}

/** Any list as an infinite query: `items`, `fetchNextPage` and `hasNextPage`. Arguments are those of useOperation. */
export function useList<Answer extends Page>(
  call: PreparedCall<Answer>,
  settings?: LiveSettings<Pages<PreparedCall<Answer>>>,
): ListResult<PreparedCall<Answer>>
export function useList<Operation extends ListOperation>(
  operation: Operation,
  options?: OptionsOf<Operation>[0],
  settings?: LiveSettings<Pages<Operation>>,
): ListResult<Operation>
export function useList<Operation extends ListOperation>(
  operation: Operation,
  ...given: [unknown?, LiveSettings<Pages<Operation>>?]
): ListResult<Operation> {
  const [options, settings] = readArguments<Pages<Operation>>(operation, given)
  type Loaded = Awaited<ReturnType<Operation>>
  const { client, pollMs } = useSlipway()
  const queryKey = [...withScope(keyOf(operation, options ?? {}), settings), 'pages']
  const { isLive, track, trackMore } = useEvents<Pages<Operation>>(queryKey, settings)
  const retry = useRetry()
  const load = ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) => {
    const { query, ...rest } = (options ?? {}) as { query?: object }
    // A page number only selects the first page; the cursor selects the following ones.
    const next = pageParam === undefined ? query : { ...query, page: undefined, cursor: pageParam }
    return operation(client, { ...rest, query: next, signal }) as Promise<Loaded>
  }
  const loadFirst = track(async (context: { pageParam: string | undefined; signal: AbortSignal }) => ({
    pages: [await load(context)],
    pageParams: [context.pageParam],
  }))
  const loadMore = trackMore(load)
  const query = useInfiniteQuery<Loaded, Error, Pages<Operation>, QueryKey, string | undefined>({
    queryKey,
    queryFn: async (context): Promise<Loaded> => {
      if (context.pageParam !== undefined) return loadMore(context)
      const { pages } = await loadFirst(context)
      return pages[0] as Loaded
    },
    initialPageParam: undefined,
    getNextPageParam: (last: Page) => last.nextCursor ?? undefined,
    meta: metaOf(operation),
    enabled: settings.enabled ?? true,
    refetchInterval: isPolling(settings, isLive) ? pollMs : false,
    placeholderData: (previous) => keep(settings, previous),
    ...retry,
  })
  const { data } = query
  const items = useMemo(() => (data?.pages.flatMap((page) => page.items) ?? []) as Item<Operation>[], [data])
  return extendResult(query, { items, isLive })
}

/**
 * A query's result with further or other properties. Its own are read only when they are read here: TanStack Query renders a
 * component again when a property changes that the component has read, and a spread reads all.
 */
export function extendResult<Result extends object, More extends object>(result: Result, more: More): Result & More {
  const extended = { ...more }
  for (const name of Object.keys(result)) {
    if (name in more) continue
    Object.defineProperty(extended, name, { get: () => result[name as keyof Result], enumerable: true })
  }
  return extended as Result & More
}

/** The options of the operation, which a prepared call contains, and the settings. */
const readArguments = <Data>(
  operation: object,
  [options, settings]: [unknown?, LiveSettings<Data>?],
): [object | undefined, LiveSettings<Data>] =>
  'prepared' in operation ? [undefined, (options as LiveSettings<Data>) ?? {}] : [options as object, settings ?? {}]

const isPolling = ({ rooms = [] }: Pick<LiveSettings, 'rooms'>, isLive: boolean): boolean => rooms.length > 0 && !isLive

function keep<Data>({ keepPrevious }: LiveSettings<Data>, previous: Data | undefined): Data | undefined {
  if (previous === undefined || !keepPrevious) return undefined
  return keepPrevious === true || keepPrevious(previous) ? previous : undefined
}

/** Retries are those of the QueryClient, if it sets any. */
function useRetry(): { retry?: (failures: number, error: Error) => boolean } {
  const defaults = useQueryClient().getDefaultOptions().queries
  return defaults?.retry === undefined ? { retry: isWorthRetrying } : {}
}

const withScope = (key: QueryKey, { scope }: Pick<LiveSettings, 'scope'>): QueryKey =>
  scope === undefined ? key : [...key, { scope }]
