import { HttpRequestError, RpcRequestError } from 'viem'
import { isRefusal } from './node-failure.ts'

/** A filter lists so many addresses, or values of a topic, at most: the limit that geth and Erigon have unless it is configured. */
export const MAX_LISTED = 1_000
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

  /** The answers for all parts, in any order. Rejects with the first error that a shorter list does not help against. */
  async collect<V, T>(values: readonly V[], ask: (part: readonly V[]) => Promise<T>): Promise<T[]> {
    let rest = values
    const answers: T[] = []
    const takeNext = (): readonly V[] => {
      const part = rest.slice(0, this.#limit)
      rest = rest.slice(part.length)
      return part
    }
    const work = async () => {
      for (let part = takeNext(); part.length > 0; part = takeNext()) {
        try {
          answers.push(await ask(part))
        } catch (error) {
          const isTooLong = error instanceof ListRejectedError && part.length > 1
          if (!isTooLong) {
            rest = []
            throw error
          }
          this.#limit = Math.min(this.#limit, Math.ceil(part.length / 2))
          rest = [...part, ...rest]
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return answers
  }
}
