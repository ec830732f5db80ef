import type { Cache } from './cache.ts'

/** Time to live of a cached flag. set() updates all replicas at once. */
const MEMORY_SECONDS = 300

interface FlagOptions {
  cache: Cache
  /** Key prefix in the cache. */
  namespace: string
  /** Reads the flag from the database. */
  load: (key: string) => Promise<boolean>
  /** Whether read() falls back to the database while the cache is down; else it rejects. */
  survivesCache: boolean
}

export interface CachedFlag {
  /** Reads the flag from the cache, or loads it from the database. */
  read(key: string): Promise<boolean>
  /** Updates the cache for all replicas. Call it after committing the change. */
  set(key: string, value: boolean, ttlSeconds?: number): Promise<void>
}

/** A boolean in the database that every request needs, cached by key. An evicted entry is loaded again. */
export function createCachedFlag({ cache, namespace, load, survivesCache }: FlagOptions): CachedFlag {
  const keyOf = (key: string) => `${namespace}:${key}`
  const text = (value: boolean) => (value ? '1' : '0')
  return {
    read: async (key) => {
      const known = await cache.get(keyOf(key)).catch((error: unknown) => {
        if (survivesCache) return null
        throw error
      })
      if (known !== null) return known === '1'
      const value = await load(key)
      // Do not overwrite a value that set() stored in the meantime.
      await cache.setIfAbsent(keyOf(key), text(value), MEMORY_SECONDS).catch(() => {})
      return value
    },
    // A full Redis still deletes: a flag that is missing is loaded, and an old one would hide the change.
    set: (key, value, ttlSeconds = MEMORY_SECONDS) =>
      cache.setKept(keyOf(key), text(value), ttlSeconds).catch(() => cache.delete(keyOf(key))),
  }
}
