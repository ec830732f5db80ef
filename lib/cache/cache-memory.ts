import { LRUCache } from 'lru-cache'
import type { Cache, Count } from './cache.ts'

/** Size of a namespace in characters of its keys and values. Bounds callers that cache whole responses. */
const MAX_NAMESPACE_SIZE = 64 * 1024 * 1024

interface Entry {
  value: string
}

/**
 * An in-process cache, for a single replica. Each namespace is a bounded LRU, so that a flood of keys in one (nonces) cannot
 * evict entries of another (revoked tokens).
 */
export function createMemoryCache(maxPerNamespace = 100_000): Cache {
  const namespaces = new Map<string, LRUCache<string, Entry>>()
  // Counted for each entry besides its key and value, so that maxPerNamespace entries fill a namespace. lru-cache's own limit,
  // `max`, allocates the memory of all entries at once.
  const entrySize = Math.ceil(MAX_NAMESPACE_SIZE / maxPerNamespace)

  const find = (key: string) => {
    const name = key.slice(0, key.indexOf(':') + 1)
    let namespace = namespaces.get(name)
    if (!namespace) {
      namespace = new LRUCache({
        maxSize: MAX_NAMESPACE_SIZE,
        sizeCalculation: ({ value }, key) => entrySize + key.length + value.length,
        ttl: 1,
        updateAgeOnGet: false,
        ttlResolution: 0,
      })
      namespaces.set(name, namespace)
    }
    return namespace
  }
  const read = (key: string) => find(key).get(key)?.value ?? null
  const write = (key: string, value: string, ttlSeconds: number) => {
    find(key).set(key, { value }, { ttl: ttlSeconds * 1000 })
  }

  // No method awaits between read and write: each is atomic.
  return {
    isShared: false,
    get: async (key) => read(key),
    set: async (key, value, ttlSeconds) => write(key, value, ttlSeconds),
    setKept: async (key, value, ttlSeconds) => write(key, value, ttlSeconds),
    setIfAbsent: async (key, value, ttlSeconds) => {
      if (read(key) !== null) return false
      write(key, value, ttlSeconds)
      return true
    },
    getAndDelete: async (key) => {
      const value = read(key)
      find(key).delete(key)
      return value
    },
    delete: async (key) => void find(key).delete(key),
    increment: async (key, ttlSeconds): Promise<Count> => {
      const namespace = find(key)
      const entry = namespace.get(key)
      if (!entry) {
        write(key, '1', ttlSeconds)
        return { value: 1, resetMs: ttlSeconds * 1000 }
      }
      entry.value = String(Number(entry.value) + 1)
      return { value: Number(entry.value), resetMs: Math.ceil(namespace.getRemainingTTL(key)) }
    },
    probe: async () => {},
    close: async () => namespaces.clear(),
  }
}
