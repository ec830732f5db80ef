/** Two loads overlap: the database works on one while the rows of the other are delivered. */
const MAX_CONCURRENT_LOADS = 2
/** A part of the concurrent calls of a busy service: rows of one load are answered while the database reads those of another. */
const MAX_BATCH_SIZE = 32

/**
 * Batches lookups by key: calls during a load wait and share the next one. No caching: a load starts after all of its
 * calls, so each sees current data. Callers must have equal permissions. Resolves to undefined for an unknown key.
 */
export function createBatchLoader<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
  keyOf: (value: Value) => Key,
): (key: Key) => Promise<Value | undefined> {
  type Call = PromiseWithResolvers<Value | undefined>
  /**
   * Calls that no load has taken, in batches, oldest first. Each is a map of its own: in one map for all, which grows and
   * shrinks, V8 keeps the values of ended calls alive until it collects the old generation.
   */
  const waiting: Map<Key, Call>[] = []
  let loads = 0
  let isScheduled = false

  const run = async (calls: ReadonlyMap<Key, Call>) => {
    loads++
    try {
      const values = await load([...calls.keys()])
      for (const value of values) calls.get(keyOf(value))?.resolve(value)
      for (const call of calls.values()) call.resolve(undefined)
    } catch (error) {
      for (const call of calls.values()) call.reject(error)
    } finally {
      loads--
      startLoads()
    }
  }
  const startLoads = () => {
    while (loads < MAX_CONCURRENT_LOADS) {
      const calls = waiting.shift()
      if (!calls) break
      void run(calls)
    }
  }
  const startScheduled = () => {
    isScheduled = false
    startLoads()
  }
  return (key) => {
    // Calls in the same event-loop tick share one load.
    if (!isScheduled) setImmediate(startScheduled)
    isScheduled = true
    let batch = waiting.at(-1)
    let call = batch?.get(key)
    if (call) return call.promise
    if (!batch || batch.size === MAX_BATCH_SIZE) {
      batch = new Map()
      waiting.push(batch)
    }
    call = Promise.withResolvers()
    batch.set(key, call)
    return call.promise
  }
}
