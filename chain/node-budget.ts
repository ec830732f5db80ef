import { AsyncLocalStorage } from 'node:async_hooks'
import { NodeTimeoutError } from './node-failure.ts'

const running = new AsyncLocalStorage<NodeBudget>()

/** The budget of the work that asks, if it has one: requests to nodes, retries and other nodes included, end with it. */
export const currentBudget = (): NodeBudget | undefined => running.getStore()

/**
 * The time that one piece of work, such as an HTTP request, may spend waiting for nodes in all. What it waits for besides, the
 * database for one, does not count. Reads only belong in `run`: what it was given may go on after it has rejected.
 */
export class NodeBudget {
  /** The last failure of a node, for callers whose library swallows it. */
  failure: unknown
  readonly #controller = new AbortController()
  readonly #expired: Promise<never>
  #leftMs: number
  /** Requests that wait for a node, since when there is one, and what ends them. */
  #waiting = 0
  #since = 0
  #timer: NodeJS.Timeout | undefined

  constructor(milliseconds: number) {
    this.#leftMs = milliseconds
    const { promise, reject } = Promise.withResolvers<never>()
    this.#expired = promise
    // Not every budget is waited for until it ends.
    promise.catch(() => {})
    const expire = () => reject(new NodeTimeoutError(`The nodes did not answer within ${milliseconds} ms`))
    this.signal.addEventListener('abort', expire, { once: true })
  }

  /** Aborts when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get leftMs(): number {
    const spent = this.#waiting > 0 ? performance.now() - this.#since : 0
    return Math.max(0, this.#leftMs - spent)
  }

  /** Counts the time until `request` settles. Requests at the same time count once. */
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

  /** Rejects with NodeTimeoutError when the time is over. May be called several times, which share the time. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    return Promise.race([running.run(this, work), this.#expired])
  }
}
