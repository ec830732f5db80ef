/** Two loads overlap: the database works on one while the rows of the other are delivered. */
const MAX_CONCURRENT_LOADS = 2
const MAX_BATCH_SIZE = 100

interface PendingKey<Value> {
  promise: Promise<Value | undefined>
  resolve: (value: Value | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Batches lookups by key: calls during MAX_CONCURRENT_LOADS loads wait and share the next one. No caching: a load starts after
 * all of its calls, so each sees current data. Callers must have equal permissions. Resolves to undefined for an unknown key.
 */
export function createBatchLoader<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
  keyOf: (value: Value) => Key,
): (key: Key) => Promise<Value | undefined> {
  let pending = new Map<Key, PendingKey<Value>>()
  let running = 0
  let scheduled = false

  const runBatch = async (batch: Map<Key, PendingKey<Value>>): Promise<void> => {
    try {
      const values = await load([...batch.keys()])
      const found = new Map(values.map((value) => [keyOf(value), value]))
      for (const [key, { resolve }] of batch) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of batch.values()) reject(error)
    } finally {
      running--
      startLoads()
    }
  }
  const startLoads = (): void => {
    scheduled = false
    while (running < MAX_CONCURRENT_LOADS && pending.size > 0) {
      const all = [...pending]
      pending = new Map(all.slice(MAX_BATCH_SIZE))
      running++
      void runBatch(new Map(all.slice(0, MAX_BATCH_SIZE)))
    }
  }
  return (key) => {
    const known = pending.get(key)
    if (known) return known.promise
    const wanted = Promise.withResolvers<Value | undefined>()
    pending.set(key, wanted)
    // Calls in the same event-loop tick share one load.
    if (!scheduled && running < MAX_CONCURRENT_LOADS) {
      scheduled = true
      setImmediate(startLoads)
    }
    return wanted.promise
  }
}
