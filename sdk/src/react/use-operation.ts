import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useMemo, useRef } from 'react'
import { SlipwayError } from '../errors.ts'
import type { Item, ListOperation, Page } from '../iterate.ts'
import type { Room } from '../rooms.ts'
import type { RoomMessage } from '../socket.ts'
import { useSlipway } from './provider.ts'
import { type AnyOperation, keyOf, type OptionsOf } from './query-key.ts'
import { useRooms, useThrottle } from './use-live.ts'

/** Least time between two requests that live events cause. */
const REFETCH_MS = 1_000
const MAX_RETRIES = 3

export interface LiveSettings<Data = unknown> {
  /** Channels whose events change the data. */
  rooms?: readonly Room[]
  enabled?: boolean
  /** Whether to keep the data of the previous options until those of new ones arrive. */
  keepPrevious?: boolean | ((previous: Data) => boolean)
  /** Least time in milliseconds between two requests that live events cause; 1,000 by default. */
  refetchMs?: number
  /** Distinguishes data of different wallets. */
  scope?: string | undefined
  /**
   * Applies an event to the data, and returns the new data; undefined to request them again instead. An event may be applied
   * twice, and to data that contain it already.
   */
  apply?: (data: Data, message: RoomMessage<Room>) => Data | undefined
}

export type OperationResult<Data> = UseQueryResult<Data> & {
  /** Whether live events keep the data current; otherwise they are polled. */
  isLive: boolean
}

/** Any operation as a query, requested again after events of `rooms`. */
export function useOperation<Operation extends AnyOperation>(
  operation: Operation,
  options?: OptionsOf<Operation>[0],
  settings: LiveSettings<Awaited<ReturnType<Operation>>> = {},
): OperationResult<Awaited<ReturnType<Operation>>> {
  type Data = Awaited<ReturnType<Operation>>
  const { client, pollMs } = useSlipway()
  const queryKey = withScope(keyOf(operation, options ?? {}), settings)
  const { isLive, track } = useEvents(queryKey, settings)
  const retry = useRetry()
  const query = useQuery<Data>({
    queryKey,
    queryFn: track(({ signal }) => operation(client, { ...(options as object), signal }) as Promise<Data>),
    enabled: settings.enabled ?? true,
    refetchInterval: isPolling(settings, isLive) ? pollMs : false,
    placeholderData: (previous) => keep(settings, previous as Data | undefined) as never,
    ...retry,
  })
  return { ...query, isLive }
}

export type Pages<Operation extends ListOperation> = InfiniteData<Awaited<ReturnType<Operation>>, string | undefined>

export type ListResult<Operation extends ListOperation> = UseInfiniteQueryResult<Pages<Operation>> & {
  /** The items of all pages that were loaded. */
  items: Item<Operation>[]
  isLive: boolean
}

/** Any list as an infinite query: `items`, `fetchNextPage` and `hasNextPage`. */
export function useList<Operation extends ListOperation>(
  operation: Operation,
  options?: OptionsOf<Operation>[0],
  settings: LiveSettings<Pages<Operation>> = {},
): ListResult<Operation> {
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
    enabled: settings.enabled ?? true,
    refetchInterval: isPolling(settings, isLive) ? pollMs : false,
    placeholderData: (previous) => keep(settings, previous),
    ...retry,
  })
  const { data } = query
  const items = useMemo(() => (data?.pages.flatMap((page) => page.items) ?? []) as Item<Operation>[], [data])
  return { ...query, items, isLive }
}

const isPolling = ({ rooms = [] }: Pick<LiveSettings, 'rooms'>, isLive: boolean): boolean => rooms.length > 0 && !isLive

function keep<Data>({ keepPrevious }: LiveSettings<Data>, previous: Data | undefined): Data | undefined {
  if (previous === undefined || !keepPrevious) return undefined
  return keepPrevious === true || keepPrevious(previous) ? previous : undefined
}

/** A request that the service rejected would be rejected again. Retries are those of the QueryClient, if it sets any. */
function useRetry(): { retry?: (failures: number, error: Error) => boolean } {
  const defaults = useQueryClient().getDefaultOptions().queries
  return defaults?.retry === undefined ? { retry: isWorthRetrying } : {}
}

const isWorthRetrying = (failures: number, error: Error): boolean =>
  failures < MAX_RETRIES && !(error instanceof SlipwayError && error.status < 500 && error.status !== 429)

const withScope = (key: QueryKey, { scope }: Pick<LiveSettings, 'scope'>): QueryKey =>
  scope === undefined ? key : [...key, { scope }]

type Load<Context, Result> = (context: Context) => Promise<Result>

interface Events<Data> {
  isLive: boolean
  /** Wraps a request: an event that arrives meanwhile may be missing from its response, so it is applied to it. */
  track: <Context>(load: Load<Context, Data>) => Load<Context, Data>
  /** Wraps a request of a further page, which the events of the first one may overtake. */
  trackMore: <Context, Loaded>(load: Load<Context, Loaded>) => Load<Context, Loaded>
}

/** Keeps the data of a query current by live events. */
function useEvents<Data>(
  queryKey: QueryKey,
  { rooms = [], refetchMs = REFETCH_MS, apply }: LiveSettings<Data>,
): Events<Data> {
  const missed = useRef<RoomMessage<Room>[]>([])
  const queryClient = useQueryClient()
  const refetch = useRefetch(queryKey)
  const refetchSoon = useThrottle(refetch, refetchMs)

  const isLive = useRooms(rooms, (message) => {
    // The data may be older than the subscription.
    if (message.type === 'subscribed' || message.type === 'gap') return refetch()
    if (message.type === 'refused') return
    const state = queryClient.getQueryState<Data>(queryKey)
    if (state?.fetchStatus === 'fetching') missed.current.push(message)
    if (state?.data === undefined) return
    const changed = apply?.(state.data, message)
    if (changed === undefined) refetchSoon()
    else if (changed !== state.data) queryClient.setQueryData<Data>(queryKey, changed)
  })

  return {
    isLive,
    track: (load) => async (context) => {
      missed.current = []
      let data: Data = await load(context)
      for (const message of missed.current.splice(0)) {
        const changed = apply?.(data, message)
        if (changed === undefined) refetchSoon()
        else data = changed
      }
      return data
    },
    trackMore: (load) => async (context) => {
      missed.current = []
      const page = await load(context)
      if (missed.current.splice(0).length > 0) refetchSoon()
      return page
    },
  }
}

/** Returns a function that requests a query again, after the request that is under way: it may be loading a further page. */
function useRefetch(queryKey: QueryKey): () => void {
  const queryClient = useQueryClient()
  const isWaiting = useRef(false)
  const key = JSON.stringify(queryKey)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is compared by its text
  return useCallback(() => {
    const invalidate = () => {
      isWaiting.current = false
      void queryClient.invalidateQueries({ queryKey, exact: true })
    }
    const query = queryClient.getQueryCache().find({ queryKey, exact: true })
    if (!query || isWaiting.current) return
    const { fetchStatus, data, error } = query.state
    if (fetchStatus !== 'fetching') {
      if (data !== undefined || (error && isWorthRetrying(0, error as Error))) invalidate()
      return
    }
    isWaiting.current = true
    query.promise?.then(invalidate, invalidate)
  }, [queryClient, key])
}
