import { HttpRequestError, RpcRequestError } from 'viem'
import { isRefusal } from './node-failure.ts'

/** A filter lists so many addresses, or values of a topic, at most: the limit that geth and Erigon have unless it is configured. */
export const MAX_LISTED = 1_000
/** Parts of the accepted length in a row before a longer one is tried: another node may be behind the URL now. */
const MIN_GROW_AFTER = 256
const MAX_GROW_AFTER = 65_536
/** Parts of a list that are requested at a time. */
const AT_ONCE = 4

/** A node rejected a filter because it lists too many addresses or topics, or no address at all. */
export class ListRejectedError extends Error {
  override name = 'ListRejectedError'
}

/** Whether a node complains about the addresses of a filter, and not about the client's: shorter lists would be more requests. */
export function isListRejection(error: unknown): boolean {
  if (!isRefusal(error)) return false
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof RpcRequestError || cause instanceof HttpRequestError)
      return /(?<!\bIP )address/i.test(cause.details)
  return false
}

/** Splits a list of a filter into parts that the node accepts, and keeps the accepted length. Some chains accept 16 addresses. */
export class ListSplitter {
  #limit = MAX_LISTED
  /** Parts of this length that were accepted in a row. */
  #successes = 0
  #growAfter = MIN_GROW_AFTER
  /** Whether the length was doubled, and not accepted yet. */
  #isTrial = false

  /** The answers for all parts, in any order. Rejects with the first error that a shorter list does not help against. */
  async collect<V, T>(values: readonly V[], ask: (part: readonly V[]) => Promise<T>): Promise<T[]> {
    const answers: T[] = []
    let next = 0
    const rejected: (readonly V[])[] = []
    const takeNext = (): readonly V[] => {
      const list = rejected.pop()
      if (list && list.length > this.#limit) rejected.push(list.slice(this.#limit))
      if (list) return list.slice(0, this.#limit)
      const part = values.slice(next, next + this.#limit)
      next += part.length
      return part
    }
    const work = async () => {
      for (let part = takeNext(); part.length > 0; part = takeNext()) {
        try {
          answers.push(await ask(part))
          this.#grow(part.length)
        } catch (error) {
          const isTooLong = error instanceof ListRejectedError && part.length > 1
          if (!isTooLong) {
            next = values.length
            rejected.length = 0
            throw error
          }
          this.#shrink(part.length)
          rejected.push(part)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return answers
  }

  #shrink(length: number): void {
    const limit = Math.min(this.#limit, Math.ceil(length / 2))
    // Parts of one length may be under way together.
    if (limit === this.#limit) return
    // A longer one was rejected again: it is tried less often.
    if (this.#isTrial) this.#growAfter = Math.min(4 * this.#growAfter, MAX_GROW_AFTER)
    this.#isTrial = false
    this.#limit = limit
    this.#successes = 0
  }

  #grow(length: number): void {
    if (this.#limit === MAX_LISTED || length < this.#limit) return
    this.#isTrial = false
    this.#successes += 1
    if (this.#successes < this.#growAfter) return
    this.#limit = Math.min(2 * this.#limit, MAX_LISTED)
    this.#isTrial = true
    this.#successes = 0
  }
}
