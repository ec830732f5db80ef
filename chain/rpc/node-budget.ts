import { AsyncLocalStorage } from 'node:async_hooks'
import { NodeTimeoutError } from './node-failure.ts'

const running = new AsyncLocalStorage<NodeBudget>()

/** The budget of the current async context. It bounds node requests, including retries and failover. */
export const currentBudget = (): NodeBudget | undefined => running.getStore()

/**
 * Total time that one unit of work, such as an HTTP request, may wait for nodes. Other waits, such as for the database, do not
 * count. Only pass reads to `run`: the work may continue after `run` has rejected.
 */
export class NodeBudget {
  /** The last node failure, for callers whose library hides it. */
  failure: unknown
  readonly #controller = new AbortController()
  readonly #expired: Promise<never>
  #leftMs: number
  /** Pending node requests, when the first of them began, and the timer that ends them. */
  #waiting = 0
  #since = 0
  #timer: NodeJS.Timeout | undefined

  constructor(milliseconds: number) {
    this.#leftMs = milliseconds
    const { promise, reject } = Promise.withResolvers<never>()
    this.#expired = promise
    // Nothing may be awaiting the budget when it expires.
    promise.catch(() => {})
    const expire = () => reject(new NodeTimeoutError(`The nodes did not answer within ${milliseconds} ms`))
    this.signal.addEventListener('abort', expire, { once: true })
  }

  /** Aborts when the budget is used up. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get leftMs(): number {
    const spent = this.#waiting > 0 ? performance.now() - this.#since : 0
    return Math.max(0, this.#leftMs - spent)
  }

  /** Deducts the time until `request` settles. Overlapping requests count once. */
  async track<T>(request: () => Promise<T>): Promise<T> {
    if (this.#waiting++ === 0) {
      this.#since = performance.now()
      this.#timer = setTimeout(() => this.#controller.abort(), this.#leftMs)
    }
    try {
      return await request()
    } finally {
      if (this.#waiting === 1) this.#leftMs = this.leftMs
      if (--this.#waiting === 0) clearTimeout(this.#timer)
    }
  }

  /** Rejects with NodeTimeoutError when the budget is used up. Multiple calls share the budget. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    return Promise.race([running.run(this, work), this.#expired])
  }
}
