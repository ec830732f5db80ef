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
  const waiting = new Map<Key, Call>()
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
    while (waiting.size > 0 && loads < MAX_CONCURRENT_LOADS) {
      const calls = new Map<Key, Call>()
      for (const [key, call] of waiting) {
        if (calls.size === MAX_BATCH_SIZE) break
        calls.set(key, call)
        waiting.delete(key)
      }
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
    let call = waiting.get(key)
    if (!call) {
      call = Promise.withResolvers()
      waiting.set(key, call)
    }
    return call.promise
  }
}
