/** Loads under way at once: while the database works at one, the rows of another are told. */
const MAX_CONCURRENT_LOADS = 2
/** Keys of one load. */
const MAX_BATCH_SIZE = 100

interface PendingKey<Value> {
  promise: Promise<Value | undefined>
  resolve: (value: Value | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Reads what many ask for by key with few queries: those who ask while ABREAST loads are under way wait for the next, which
 * is one for all of them. Nothing is kept: a load begins after everybody it answers has asked, so that each is answered as
 * if it had asked alone. Its askers must be alike in what they may be told. Resolves to undefined for a key that was not found.
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
    // What came in with the same turn of the event loop goes out with one load.
    if (!scheduled && running < MAX_CONCURRENT_LOADS) {
      scheduled = true
      setImmediate(startLoads)
    }
    return wanted.promise
  }
}
