import { AppError } from '../errors.ts'

/** Runs work, now or when its turn comes. Rejects with OVERLOADED when too much is waiting. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>

/** Lets so many pieces of work run at once and so many wait: what costs memory must not be started without a bound. */
export function createGate({ running, waiting }: { running: number; waiting: number }): Gate {
  const queue: (() => void)[] = []
  let active = 0
  return async (work) => {
    if (active >= running) {
      if (queue.length >= waiting) throw new AppError('OVERLOADED', {}, { retryAfter: 1 })
      // Whoever leaves hands over its place, so that it is never free for a moment in which another could take it.
      await new Promise<void>((resolve) => queue.push(resolve))
    } else active++
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else active--
    }
  }
}
