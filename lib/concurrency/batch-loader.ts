/** Loads under way at once: while the database works at one, the rows of another are told. */
const ABREAST = 2
/** Keys of one load. */
const MOST = 100

interface Wanted<Value> {
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
  let waiting = new Map<Key, Wanted<Value>>()
  let running = 0
  let scheduled = false

  const run = async (wanted: Map<Key, Wanted<Value>>): Promise<void> => {
    try {
      const values = await load([...wanted.keys()])
      const found = new Map(values.map((value) => [keyOf(value), value]))
      for (const [key, { resolve }] of wanted) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of wanted.values()) reject(error)
    } finally {
      running--
      start()
    }
  }
  const start = (): void => {
    scheduled = false
    while (running < ABREAST && waiting.size > 0) {
      const all = [...waiting]
      waiting = new Map(all.slice(MOST))
      running++
      void run(new Map(all.slice(0, MOST)))
    }
  }
  return (key) => {
    const known = waiting.get(key)
    if (known) return known.promise
    const wanted = Promise.withResolvers<Value | undefined>()
    waiting.set(key, wanted)
    // What came in with the same turn of the event loop goes out with one load.
    if (!scheduled && running < ABREAST) {
      scheduled = true
      setImmediate(start)
    }
    return wanted.promise
  }
}
