import type { Cache } from './cache.ts'

/** How long the cache answers for the database. A flag that is set is known to all replicas at once. */
const MEMORY_SECONDS = 300

interface FlagOptions {
  cache: Cache
  /** Of the keys in the cache. */
  namespace: string
  /** Reads the flag from the database. */
  load: (key: string) => Promise<boolean>
  /** Whether read() asks the database while the cache is down; else it rejects. */
  survivesCache: boolean
}

export interface CachedFlag {
  /** Reads the flag from the cache, else from the database. */
  read(key: string): Promise<boolean>
  /** Updates the cache, for all replicas. Call it after the commit that changed the flag. */
  set(key: string, value: boolean, ttlSeconds?: number): Promise<void>
}

/** A yes or no that the database stores by key and every request needs. A cache that lost it changes no answer. */
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
      // Never overwrites: set() may have run between the two reads.
      await cache.setIfAbsent(keyOf(key), text(value), MEMORY_SECONDS).catch(() => {})
      return value
    },
    set: (key, value, ttlSeconds = MEMORY_SECONDS) => cache.set(keyOf(key), text(value), ttlSeconds),
  }
}
