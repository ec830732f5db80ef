// One load at a time saves 8 to 16 % of a cold read on two cores, against two (`npm run bench:reads -- --only cold`).
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * A part of the concurrent calls of a busy service: those of one load are answered while the database reads the next one, and
 * others wait for the one after that.
 */
const MAX_BATCH_SIZE = 24
/** Bounds how long a load on a connection that hangs, as after a failover, holds up later calls. */
const SLOW_MS = 500

/**
 * Batches lookups by key: one load at a time, and calls during it wait and share the next one, unless it is slow. The next one
 * starts before the calls of a load are answered, so that the database reads meanwhile. With more at a time, a busy service
 * shares its processor cores with more connections of the database. No caching: a load starts after all of its calls, so each
 * sees current data. Callers must have equal permissions. Resolves to undefined for an unknown key.
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
  let isLoading = false
  let isScheduled = false

  const run = async (calls: ReadonlyMap<Key, Call>) => {
    isLoading = true
    let isAwaited = true
    /** Returns whether another load has started. */
    const goOn = (): boolean => {
      if (!isAwaited) return false
      isAwaited = false
      isLoading = false
      return startNext()
    }
    const slow = setTimeout(goOn, SLOW_MS)
    try {
      const values = await load([...calls.keys()])
      // Calls that have arrived meanwhile join the next load.
      await nextTurn()
      // Only the next turn follows the ticks in which a pool hands out a connection and the statement is sent.
      if (goOn()) await nextTurn()
      for (const value of values) calls.get(keyOf(value))?.resolve(value)
      for (const call of calls.values()) call.resolve(undefined)
    } catch (error) {
      for (const call of calls.values()) call.reject(error)
    } finally {
      clearTimeout(slow)
      goOn()
    }
  }
  const startNext = (): boolean => {
    const calls = isLoading ? undefined : waiting.shift()
    if (calls) void run(calls)
    return calls !== undefined
  }
  const startScheduled = () => {
    isScheduled = false
    startNext()
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
