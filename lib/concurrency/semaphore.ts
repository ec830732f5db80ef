import { AppError } from '../../errors.ts'

/** Runs work, now or when its turn comes. Rejects with OVERLOADED when too much is waiting. */
export type Semaphore = <T>(task: () => Promise<T>) => Promise<T>

interface SemaphoreOptions {
  concurrency: number
  queueSize: number
  /** How long a piece of work waits for its turn before it is rejected as well; without end unless given. */
  queueTimeoutMs?: number
}

/** Lets so many pieces of work run at once and so many wait: what costs memory must not be started without a bound. */
export function createSemaphore({ concurrency, queueSize, queueTimeoutMs }: SemaphoreOptions): Semaphore {
  const queue: (() => void)[] = []
  let active = 0
  return async (task) => {
    if (active >= concurrency) {
      if (queue.length >= queueSize) throw new AppError('OVERLOADED', {}, { retryAfter: 1 })
      // Whoever leaves hands over its place, so that it is never free for a moment in which another could take it.
      await waitInQueue(queue, queueTimeoutMs)
    } else active++
    try {
      return await task()
    } finally {
      const next = queue.shift()
      if (next) next()
      else active--
    }
  }
}

async function waitInQueue(queue: (() => void)[], timeoutMs: number | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  queue.push(resolve)
  if (timeoutMs === undefined) return promise
  const timer = setTimeout(() => {
    queue.splice(queue.indexOf(resolve), 1)
    reject(new AppError('OVERLOADED', {}, { retryAfter: 1 }))
  }, timeoutMs)
  return promise.finally(() => clearTimeout(timer))
}
