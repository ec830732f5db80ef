import { type CircuitBreaker, createCircuitBreaker } from '../../lib/concurrency/circuit-breaker.ts'
import { MethodRecord } from './method-record.ts'
import { ContradictionError, hasNoResponse, isTimeout, readRetryAfterMs } from './node-failure.ts'
import type { NodeIdentities } from './node-identity.ts'

/** How long a node that returned a contradiction is tried last. */
const DEMOTION_MS = 60_000
const FAILURES_TO_OPEN = 3
const COOLDOWN_MS = 5_000
/** Longer than COOLDOWN_MS: each request to a hanging node costs a time-out, one to an unreachable node fails at once. */
const TIMEOUT_COOLDOWN_MS = 30_000

/** Called for each contradiction with the node's index in RPC_URL. */
export type OnContradiction = (node: number, reason: string) => void

export interface NodeEvents {
  onContradiction?: OnContradiction
  /** A node does not offer a method that the service can do without. */
  onRefused?: (node: number, method: string, reason: string) => void
}

/** The nodes of RPC_URL by index: whether they respond, what they offer, and whether they are on the chain of the service. */
export class Nodes {
  /** Checks the nodes; undefined if the chain is not known. */
  identities: NodeIdentities | undefined
  readonly breakers: readonly CircuitBreaker[]
  readonly methods: MethodRecord
  readonly #onContradiction: OnContradiction
  readonly #demotedUntil: number[]

  constructor(count: number, { onContradiction = () => {}, onRefused }: NodeEvents = {}) {
    this.breakers = Array.from({ length: count }, () =>
      createCircuitBreaker({ failureThreshold: FAILURES_TO_OPEN, cooldownMs: COOLDOWN_MS }),
    )
    this.methods = new MethodRecord(onRefused)
    this.#onContradiction = onContradiction
    this.#demotedUntil = this.breakers.map(() => 0)
  }

  /** Indexes of all nodes. Failing or demoted nodes come last: they are the fallback. */
  order(): number[] {
    const now = Date.now()
    const isLast = (node: number) =>
      Number(this.#demotedUntil[node]! > now || this.breakers[node]!.state() !== 'closed')
    return [...this.breakers.keys()].sort((a, b) => isLast(a) - isLast(b) || a - b)
  }

  /** Undefined if the responses of a node count; else rejects if it is of another chain, or cannot be checked. */
  verify(node: number): Promise<void> | undefined {
    return this.identities?.verify(node)
  }

  recordAnswer(node: number, method: string, answer: unknown): void {
    this.breakers[node]!.recordSuccess()
    // Null does not show that a node offers the method: it may return null for every block.
    if (answer !== null) this.methods.recordAnswer(node, method)
  }

  /** `failure`: of a request, or of the check before it. */
  recordFailure(node: number, method: string, failure: unknown): void {
    const breaker = this.breakers[node]!
    if (hasNoResponse(failure)) {
      breaker.recordFailure(isTimeout(failure) ? TIMEOUT_COOLDOWN_MS : readRetryAfterMs(failure))
      this.identities?.requireCheck(node)
    } else breaker.recordSuccess()
    this.methods.recordFailure(node, method, failure)
  }

  /** Counts a contradiction, by default one of logs, and demotes the node. Returns the error to throw. */
  reportContradiction(node: number, reason: string, method = 'eth_getLogs'): ContradictionError {
    this.#demotedUntil[node] = Date.now() + DEMOTION_MS
    this.breakers[node]?.recordFailure(DEMOTION_MS)
    this.#onContradiction(node, reason)
    const error = new ContradictionError(`Node ${node + 1} of RPC_URL contradicts itself: ${reason}`)
    this.methods.recordFailure(node, method, error)
    return error
  }

  /** What is wrong with the nodes now, as public sentences: nodes by their position, without URL. */
  describeProblems(): string[] {
    return [...this.breakers.keys()].flatMap((node) => {
      const name = `node ${node + 1} of RPC_URL`
      const wrong = this.identities?.findProblem(node)
      if (wrong !== undefined) return `${name} is not used, because it ${wrong}`
      const failing = this.methods.listFailing(node)
      return failing.length > 0 ? `${name} fails ${failing.join(', ')}` : []
    })
  }
}
