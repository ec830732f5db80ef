import { type Query, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { SlipwayError } from '../errors.ts'
import type { Room } from '../rooms.ts'
import type { RoomMessage } from '../socket.ts'
import { useSlipway } from './provider.ts'
import { useRooms } from './use-live.ts'

/** Least time between two requests that live events cause. */
const REFETCH_MS = 1_000
const MAX_RETRIES = 3

/** A request that the service rejected would be rejected again. */
export const isWorthRetrying = (failures: number, error: Error): boolean =>
  failures < MAX_RETRIES && !(error instanceof SlipwayError && error.status < 500 && error.status !== 429)

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

/** Requests of a query, of which several hooks may follow the same events. */
interface Requests {
  /** The last request contains all events up to it; undefined if that is unknown. */
  seq: number | undefined
  /** Whether a request is about to be sent, once the socket has started. */
  isStarting: boolean
  /** Whether another request follows the current one. */
  isQueued: boolean
  timer: ReturnType<typeof setTimeout> | undefined
  /** Time of the last request. */
  lastAt: number
  /** Events of its hooks that have arrived during the request. */
  missed: Set<RoomMessage<Room>>
}

const requestsOf = new WeakMap<Query, Requests>()

function findRequests(client: QueryClient, queryKey: QueryKey): { query: Query; requests: Requests } | undefined {
  const query = client.getQueryCache().find({ queryKey, exact: true })
  if (!query) return undefined
  const requests: Requests = requestsOf.get(query) ?? {
    seq: undefined,
    isStarting: false,
    isQueued: false,
    timer: undefined,
    lastAt: 0,
    missed: new Set(),
  }
  requestsOf.set(query, requests)
  return { query, requests }
}

type Load<Context, Result> = (context: Context) => Promise<Result>

interface Events<Data> {
  isLive: boolean
  /** Wraps a request: an event that arrives meanwhile may be missing from its response, so it is applied to it. */
  track: <Context>(load: Load<Context, Data>) => Load<Context, Data>
  /** Wraps a request of a further page, which the events of the first one may overtake. */
  trackMore: <Context, Loaded>(load: Load<Context, Loaded>) => Load<Context, Loaded>
}

/** Keeps the data of a query current by live events. */
export function useEvents<Data>(
  queryKey: QueryKey,
  { rooms = [], refetchMs = REFETCH_MS, apply }: LiveSettings<Data>,
): Events<Data> {
  const client = useQueryClient()
  const { live, started } = useSlipway()
  const refetchSoon = () => requestSoon(client, queryKey, refetchMs)

  const isLive = useRooms(
    rooms,
    (message) => {
      if (message.type === 'refused') return
      const found = findRequests(client, queryKey)
      if (!found) return
      const { query, requests } = found
      if (message.type === 'subscribed' || message.type === 'gap') {
        const isCurrent = requests.isStarting || (requests.seq !== undefined && message.seq <= requests.seq)
        if (!isCurrent) requestAgain(client, queryKey)
        return
      }
      if (query.state.fetchStatus === 'fetching') requests.missed.add(message)
      const { data } = query.state as { data: Data | undefined }
      if (data === undefined) return
      const changed = apply?.(data, message)
      if (changed === undefined) refetchSoon()
      else if (changed !== data) client.setQueryData<Data>(queryKey, changed)
    },
    'last',
  )

  return {
    isLive,
    track: (load) => async (context) => {
      const requests = findRequests(client, queryKey)?.requests
      requests?.missed.clear()
      if (requests && started && rooms.length > 0) {
        requests.isStarting = true
        await started
        requests.isStarting = false
      }
      if (requests) {
        requests.seq = live?.seq
        requests.lastAt = Date.now()
      }
      let data: Data = await load(context).catch((error: unknown) => {
        if (requests) requests.seq = undefined
        throw error
      })
      for (const message of requests?.missed ?? []) {
        const changed = apply?.(data, message)
        if (changed === undefined) refetchSoon()
        else data = changed
      }
      requests?.missed.clear()
      return data
    },
    trackMore: (load) => async (context) => {
      const requests = findRequests(client, queryKey)?.requests
      requests?.missed.clear()
      const page = await load(context)
      if (requests && requests.missed.size > 0) refetchSoon()
      requests?.missed.clear()
      return page
    },
  }
}

/** Requests at once, but not within `ms` milliseconds after the last request, however caused: then at their end. */
function requestSoon(client: QueryClient, queryKey: QueryKey, ms: number): void {
  const requests = findRequests(client, queryKey)?.requests
  if (!requests || requests.timer !== undefined) return
  const send = () => {
    requests.timer = undefined
    requestAgain(client, queryKey)
  }
  requests.timer = setTimeout(send, Math.max(0, requests.lastAt + ms - Date.now()))
}

/** Requests after the request that is under way, which may be loading a further page. Nothing is sent while no hook is mounted. */
function requestAgain(client: QueryClient, queryKey: QueryKey): void {
  const found = findRequests(client, queryKey)
  if (!found || found.requests.isQueued) return
  const { query, requests } = found
  const { fetchStatus, data, error } = query.state
  const invalidate = () => {
    requests.isQueued = false
    void client.invalidateQueries({ queryKey, exact: true })
  }
  if (fetchStatus !== 'fetching') {
    if (data !== undefined || (error && isWorthRetrying(0, error as Error))) invalidate()
    return
  }
  requests.isQueued = true
  query.promise?.then(invalidate, invalidate)
}
