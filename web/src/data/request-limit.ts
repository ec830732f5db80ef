import { SlipwayError } from '@slipway/sdk'
import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

let until: number | null = null
const listeners = new Set<() => void>()

const subscribe = (listen: () => void) => {
  listeners.add(listen)
  return () => listeners.delete(listen)
}

/** Milliseconds until a failed query is sent again: the time that the service asks for, if it does. */
export const toRetryDelay = (count: number, error: Error): number =>
  error instanceof SlipwayError && error.retryAfter ? error.retryAfter * 1_000 : Math.min(8_000, 500 * 2 ** count)

/** Remembers until when queries wait that the quota rejected (429), of all screens. */
export function watchRequestLimit(client: QueryClient): void {
  client.getQueryCache().subscribe((event) => {
    // So named when a query failed and is tried again.
    if (event.type !== 'updated' || event.action.type !== 'failed') return
    const { error, failureCount } = event.action
    if (!(error instanceof SlipwayError) || error.status !== 429) return
    until = Math.max(until ?? 0, Date.now() + toRetryDelay(failureCount - 1, error))
    for (const listen of listeners) listen()
  })
}

/** When the last query is sent again that the quota rejected, in milliseconds; in the past once it was. */
export const useLimitedUntil = (): number | null => useSyncExternalStore(subscribe, () => until)
