import type { Cache } from '../cache/cache.ts'
import type { Metrics } from './create-metrics.ts'

/** Wraps a cache and counts its hits and misses by namespace (the key up to its first colon). */
export function watchCache(cache: Cache, metrics: Metrics): Cache {
  const count = <T>(key: string, found: T | null): T | null => {
    metrics.countLookup(key.slice(0, key.indexOf(':')), found !== null)
    return found
  }
  return { ...cache, get: async (key) => count(key, await cache.get(key)) }
}
