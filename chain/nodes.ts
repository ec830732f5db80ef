import type { CircuitBreaker } from '../lib/concurrency/circuit-breaker.ts'

/** How long a node that returned a contradiction is tried last. */
const DEMOTION_MS = 60_000

/** A response that contradicts a header or another response. It is discarded, and another node is tried. */
export class ContradictionError extends Error {
  override name = 'ContradictionError'
}

/** Called for each contradiction with the node's index in RPC_URL. */
export type OnContradiction = (node: number, reason: string) => void

/** The nodes of RPC_URL, for callers that request from one node at a time. */
export class Nodes {
  readonly #breakers: readonly CircuitBreaker[]
  readonly #onContradiction: OnContradiction
  readonly #demotedUntil: number[]

  constructor(breakers: readonly CircuitBreaker[], onContradiction: OnContradiction) {
    this.#breakers = breakers
    this.#onContradiction = onContradiction
    this.#demotedUntil = breakers.map(() => 0)
  }

  /** Indexes of all nodes. Failing or demoted nodes come last: they are the fallback. */
  order(): number[] {
    const now = Date.now()
    const isLast = (node: number) =>
      Number(this.#demotedUntil[node]! > now || this.#breakers[node]!.state() !== 'closed')
    return [...this.#breakers.keys()].sort((a, b) => isLast(a) - isLast(b) || a - b)
  }

  /** Counts a contradiction and demotes the node. Returns the error to throw. */
  reportContradiction(node: number, reason: string): ContradictionError {
    this.#demotedUntil[node] = Date.now() + DEMOTION_MS
    this.#breakers[node]?.recordFailure(DEMOTION_MS)
    this.#onContradiction(node, reason)
    return new ContradictionError(`Node ${node + 1} of RPC_URL contradicts itself: ${reason}`)
  }
}
