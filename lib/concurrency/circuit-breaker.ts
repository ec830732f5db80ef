/** Keeps calls away from something that fails, and finds out with one call at a time whether it is well again. */
export interface CircuitBreaker {
  /** 0 if a call may go out now, and then it must be reported how it went; else the milliseconds to wait. */
  acquire(): number
  recordSuccess(): void
  /** `restMs`, when the other side said how long to stay away: that opens it at once. */
  recordFailure(cooldownMs?: number): void
  state(): 'closed' | 'open' | 'half-open'
}

interface Options {
  /** Failures in a row that open it. */
  failureThreshold: number
  /** How long it stays open before a call is let through to probe. */
  cooldownMs: number
  /** Told when it opens, not when a probe fails. */
  onOpen?: () => void
  now?: () => number
}

/*
 * closed     calls pass; a success forgets earlier failures, `failures` in a row open it
 * open       calls are refused until restMs is over
 * half-open  one call passes, the probe; others are refused until it is reported: success closes, failure opens again
 */
export function createCircuitBreaker({
  failureThreshold,
  cooldownMs,
  onOpen,
  now = Date.now,
}: Options): CircuitBreaker {
  /** While a probe is out nobody knows how long it takes. */
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
