import DataLoader from 'dataloader'

/** Two loads overlap: the database works on one while the rows of the other are delivered. */
const MAX_CONCURRENT_LOADS = 2
const MAX_BATCH_SIZE = 100

/**
 * Batches lookups by key: calls during MAX_CONCURRENT_LOADS loads wait and share the next one. No caching: a load starts after
 * all of its calls, so each sees current data. Callers must have equal permissions. Resolves to undefined for an unknown key.
 */
export function createBatchLoader<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
  keyOf: (value: Value) => Key,
): (key: Key) => Promise<Value | undefined> {
  const waiting: (() => void)[] = []
  let running = 0

  const startLoads = () => {
    while (running < MAX_CONCURRENT_LOADS && waiting.length > 0) waiting.shift()?.()
  }
  const loader = new DataLoader<Key, Value | undefined>(
    async (keys) => {
      running++
      // The loader's cache only merges equal keys of calls that wait.
      loader.clearAll()
      try {
        const found = new Map((await load(keys)).map((value) => [keyOf(value), value]))
        return keys.map((key) => found.get(key))
      } finally {
        running--
        startLoads()
      }
    },
    {
      maxBatchSize: MAX_BATCH_SIZE,
      batchScheduleFn: (startLoad) => {
        waiting.push(startLoad)
        // Calls in the same event-loop tick share one load.
        setImmediate(startLoads)
      },
    },
  )
  return (key) => loader.load(key)
}
