import type { CircuitBreaker } from '../lib/concurrency/circuit-breaker.ts'

/** How long a node that contradicted itself or a header is asked only if no other one answers. */
const DEMOTION_MS = 60_000

/** An answer that cannot be right. It is not used, and another node is asked. */
export class ContradictionError extends Error {
  override name = 'ContradictionError'
}

/** Called for each contradiction: which of the URLs, counted from 0, and what was wrong. */
export type OnContradiction = (node: number, reason: string) => void

/** The nodes of RPC_URL, for work that asks them one by one. */
export class Nodes {
  readonly #breakers: readonly CircuitBreaker[]
  readonly #onContradiction: OnContradiction
  readonly #demotedUntil: number[]

  constructor(standings: readonly CircuitBreaker[], onContradiction: OnContradiction) {
    this.#breakers = standings
    this.#onContradiction = onContradiction
    this.#demotedUntil = standings.map(() => 0)
  }

  /** All of them: those that fail or were set aside come last, so that one bad node is still better than none. */
  order(): number[] {
    const now = Date.now()
    const isLast = (node: number) =>
      Number(this.#demotedUntil[node]! > now || this.#breakers[node]!.state() !== 'closed')
    return [...this.#breakers.keys()].sort((a, b) => isLast(a) - isLast(b) || a - b)
  }

  /** Counts it and sets the node aside for a while. The error to throw. */
  reportContradiction(node: number, reason: string): ContradictionError {
    this.#demotedUntil[node] = Date.now() + DEMOTION_MS
    this.#breakers[node]?.recordFailure(DEMOTION_MS)
    this.#onContradiction(node, reason)
    return new ContradictionError(`Node ${node + 1} of RPC_URL contradicts itself: ${reason}`)
  }
}
