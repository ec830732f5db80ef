/** Blocks calls to a failing dependency, and probes for its recovery with one call at a time. */
export interface CircuitBreaker {
  /** Returns 0 if a call may proceed (its outcome must then be recorded), else the milliseconds to wait. */
  acquire(): number
  recordSuccess(): void
  /** `cooldownMs` overrides the default, such as for Retry-After, and opens the breaker at once. */
  recordFailure(cooldownMs?: number): void
  state(): 'closed' | 'open' | 'half-open'
}

interface Options {
  /** Consecutive failures that open the breaker. */
  failureThreshold: number
  /** How long the breaker stays open before a probe. */
  cooldownMs: number
  /** Called when the breaker opens, not when a probe fails. */
  onOpen?: () => void
  now?: () => number
}

/*
 * closed: calls pass; a success resets the count, and failureThreshold consecutive failures open.
 * open: calls are rejected until cooldownMs has passed.
 * half-open: one call passes as the probe, others are rejected; its success closes, its failure opens.
 */
export function createCircuitBreaker({
  failureThreshold,
  cooldownMs,
  onOpen,
  now = Date.now,
}: Options): CircuitBreaker {
  /** Wait time while a probe of unknown duration runs. */
  const PROBE_WAIT_MS = 1_000
  let failed = 0
  let openUntil: number | null = null
  let probing = false

  return {
    state: () => (openUntil === null ? 'closed' : now() < openUntil ? 'open' : 'half-open'),
    acquire: () => {
      if (openUntil === null) return 0
      if (now() < openUntil) return openUntil - now()
      if (probing) return PROBE_WAIT_MS
      probing = true
      return 0
    },
    recordSuccess: () => {
      failed = 0
      openUntil = null
      probing = false
    },
    recordFailure: (rest) => {
      failed++
      probing = false
      if (failed < failureThreshold && openUntil === null && rest === undefined) return
      if (openUntil === null) onOpen?.()
      openUntil = Math.max(openUntil ?? 0, now() + (rest ?? cooldownMs))
    },
  }
}
