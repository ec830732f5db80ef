import type { Cache } from './cache.ts'

/** A value and when it was fetched, in milliseconds of the epoch. */
export interface CachedValue<T> {
  value: T
  fetchedAt: number
  /** Whether it is older than is fresh; then a newer one is being fetched already. */
  stale: boolean
}

interface Options {
  cache: Cache
  /** Younger than this a value is answered as it is. */
  freshSeconds: number
  /** Older than this it is not answered any more. In between it is answered, and fetched anew behind the answer. */
  staleSeconds: number
  /** Told of failures that no caller sees: of the cache, and of fetches behind an answer. */
  onError: (error: unknown) => void
  now?: () => number
}

export interface StaleCache {
  /**
   * The value of a key. What is asked for at once under one key is fetched once. Rejects as `fetchValue` does, if there
   * is nothing to answer instead. A cache that is down only means that more is fetched. Values must survive JSON.
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
