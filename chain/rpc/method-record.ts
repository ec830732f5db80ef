import { ContradictionError, describeFailure, isMissingBlock, isRefusal } from './node-failure.ts'

/** A method that the service can do without, and how long a node is not asked again after it has refused it. */
const OPTIONAL: ReadonlySet<string> = new Set(['eth_getBlockReceipts'])
const REFUSED_MS = 600_000
/** A node that answered another method within this time is up. */
const UP_MS = 60_000
/** A method that fails for this long, while others are answered, is one that the node does not offer. */
const PERSISTENT_MS = 60_000
const PERSISTENT_FAILURES = 3
/** A request that is pending for longer is worth a mention. */
const LATE_MS = 5_000

interface Outcome {
  node: number
  method: string
  answeredAt: number
  failedAt: number
  /** The first failure since the last answer. */
  failedSince: number
  failures: number
  reason: string
  refusedUntil: number
  /** Pending requests, and when the first of them began. */
  pending: number
  pendingSince: number
}

/**
 * What each node last did with each method, by its responses: which optional methods it does not offer, and which ones fail.
 * A node does not offer a method that it refuses, whatever the shape of the refusal, if it answers others.
 */
export class MethodRecord {
  readonly #now: () => number
  readonly #onRefused: (node: number, method: string, reason: string) => void
  readonly #outcomes = new Map<string, Outcome>()

  /** now: in milliseconds; tests replace it. */
  constructor(
    onRefused: (node: number, method: string, reason: string) => void = () => {},
    now: () => number = Date.now,
  ) {
    this.#onRefused = onRefused
    this.#now = now
  }

  recordStart(node: number, method: string): void {
    const outcome = this.#find(node, method)
    if (outcome.pending++ === 0) outcome.pendingSince = this.#now()
  }

  /** Records that a request was answered, or that it failed. */
  recordEnd(node: number, method: string): void {
    this.#find(node, method).pending -= 1
  }

  recordAnswer(node: number, method: string): void {
    const outcome = this.#find(node, method)
    outcome.answeredAt = this.#now()
    outcome.failures = 0
    outcome.refusedUntil = 0
  }

  recordFailure(node: number, method: string, error: unknown): void {
    const now = this.#now()
    const outcome = this.#find(node, method)
    if (outcome.failures++ === 0) outcome.failedSince = now
    outcome.failedAt = now
    outcome.reason = describeFailure(error)
    // What contradicts itself is no refusal: without it wrong logs could be accepted.
    if (!OPTIONAL.has(method) || isMissingBlock(error) || error instanceof ContradictionError) return
    const isPersistent =
      now - outcome.failedSince >= PERSISTENT_MS &&
      outcome.failures >= PERSISTENT_FAILURES &&
      this.#answersOthers(outcome, outcome.failedSince)
    if (!isPersistent && !(isRefusal(error) && this.#answersOthers(outcome, now - UP_MS))) return
    const isNew = outcome.refusedUntil === 0
    outcome.refusedUntil = now + REFUSED_MS
    if (isNew) this.#onRefused(node, method, outcome.reason)
  }

  /** False for an optional method for ten minutes after the node refused it. */
  offers(node: number, method: string): boolean {
    return this.#find(node, method).refusedUntil <= this.#now()
  }

  /** The methods of a node that failed at their last use, within a minute, or are not answered yet: `eth_call (HTTP 403)`. */
  listFailing(node: number): string[] {
    const now = this.#now()
    return [...this.#outcomes.values()].flatMap((one) => {
      if (one.node !== node) return []
      if (one.failures > 0 && one.failedAt >= now - UP_MS) return `${one.method} (${one.reason})`
      const waitedMs = one.pending > 0 ? now - one.pendingSince : 0
      return waitedMs >= LATE_MS ? `${one.method} (no response for ${Math.floor(waitedMs / 1_000)} s)` : []
    })
  }

  #answersOthers({ node, method }: Outcome, since: number): boolean {
    return [...this.#outcomes.values()].some(
      (one) => one.node === node && one.method !== method && one.failures === 0 && one.answeredAt >= since,
    )
  }

  #find(node: number, method: string): Outcome {
    const key = `${node} ${method}`
    let outcome = this.#outcomes.get(key)
    if (!outcome) {
      outcome = {
        ...{ node, method, reason: '', failures: 0, pending: 0, pendingSince: 0 },
        ...{ answeredAt: Number.NEGATIVE_INFINITY, failedAt: 0, failedSince: 0, refusedUntil: 0 },
      }
      this.#outcomes.set(key, outcome)
    }
    return outcome
  }
}
