import { AppError } from '../../errors.ts'

/** Runs a task, now or when a slot is free. Rejects with AppError OVERLOADED if the queue is full. */
export type Semaphore = <T>(task: () => Promise<T>) => Promise<T>

interface SemaphoreOptions {
  concurrency: number
  queueSize: number
  /** Maximum wait before OVERLOADED; unlimited by default. */
  queueTimeoutMs?: number
}

/** Bounds running and queued tasks, for work that uses much memory. */
export function createSemaphore({ concurrency, queueSize, queueTimeoutMs }: SemaphoreOptions): Semaphore {
  const queue: (() => void)[] = []
  let active = 0
  return async (task) => {
    if (active >= concurrency) {
      if (queue.length >= queueSize) throw new AppError('OVERLOADED', {}, { retryAfter: 1 })
      // A finished task hands its slot to the next in the queue, so that a new call cannot take it first.
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
