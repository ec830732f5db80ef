import type { Cache } from './cache.ts'

/** A value and its fetch time in unix milliseconds. */
export interface CachedValue<T> {
  value: T
  fetchedAt: number
  /** Older than freshSeconds: a refresh is in progress. */
  stale: boolean
}

interface Options {
  cache: Cache
  /** A younger value is returned as is. */
  freshSeconds: number
  /** An older value is not returned. In between, the value is returned and refreshed in the background. */
  staleSeconds: number
  /** Called for failures that no caller sees: of the cache, and of background refreshes. */
  onError: (error: unknown) => void
  now?: () => number
}

export interface StaleCache {
  /**
   * Returns a cached or fetched value. Concurrent fetches of one key are coalesced. Rejects with fetchValue's error if there is
   * no usable value. A failing cache only causes more fetches. Values must be JSON-serialisable.
   */
  read<T>(key: string, fetchValue: () => Promise<T>): Promise<CachedValue<T>>
}

export function createStaleCache(options: Options): StaleCache {
  const { cache, freshSeconds, staleSeconds, onError, now = Date.now } = options
  const fetching = new Map<string, Promise<CachedValue<unknown>>>()

  const find = async <T>(key: string): Promise<CachedValue<T> | undefined> => {
    try {
      const text = await cache.get(key)
      if (text === null) return undefined
      const [fetchedAt, value] = JSON.parse(text) as [number, T]
      const age = now() - fetchedAt
      return age < staleSeconds * 1000 ? { value, fetchedAt, stale: age >= freshSeconds * 1000 } : undefined
    } catch (error) {
      onError(error)
      return undefined
    }
  }

  const fetchAndStore = async <T>(key: string, fetchValue: () => Promise<T>): Promise<CachedValue<T>> => {
    const value = await fetchValue()
    const fetchedAt = now()
    await cache.set(key, JSON.stringify([fetchedAt, value]), staleSeconds).catch(onError)
    return { value, fetchedAt, stale: false }
  }

  const fetchOnce = <T>(key: string, fetchValue: () => Promise<T>): Promise<CachedValue<T>> => {
    const running = fetching.get(key) ?? fetchAndStore(key, fetchValue).finally(() => fetching.delete(key))
    fetching.set(key, running)
    return running as Promise<CachedValue<T>>
  }

  return {
    read: async (key, fetchValue) => {
      const held = await find<Awaited<ReturnType<typeof fetchValue>>>(key)
      if (!held) return fetchOnce(key, fetchValue)
      if (held.stale) fetchOnce(key, fetchValue).catch(onError)
      return held
    },
  }
}
