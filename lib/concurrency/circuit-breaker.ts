/** Keeps calls away from something that fails, and finds out with one call at a time whether it is well again. */
export interface Breaker {
  /** 0 if a call may go out now, and then it must be reported how it went; else the milliseconds to wait. */
  enter(): number
  succeed(): void
  /** `restMs`, when the other side said how long to stay away: that opens it at once. */
  fail(restMs?: number): void
  state(): 'closed' | 'open' | 'half-open'
}

interface Options {
  /** Failures in a row that open it. */
  failures: number
  /** How long it stays open before a call is let through to probe. */
  restMs: number
  /** Told when it opens, not when a probe fails. */
  onOpen?: () => void
  now?: () => number
}

/*
 * closed     calls pass; a success forgets earlier failures, `failures` in a row open it
 * open       calls are refused until restMs is over
 * half-open  one call passes, the probe; others are refused until it is reported: success closes, failure opens again
 */
export function createBreaker({ failures, restMs, onOpen, now = Date.now }: Options): Breaker {
  /** While a probe is out nobody knows how long it takes. */
  const PROBE_WAIT_MS = 1_000
  let failed = 0
  let openUntil: number | null = null
  let probing = false

  return {
    state: () => (openUntil === null ? 'closed' : now() < openUntil ? 'open' : 'half-open'),
    enter: () => {
      if (openUntil === null) return 0
      if (now() < openUntil) return openUntil - now()
      if (probing) return PROBE_WAIT_MS
      probing = true
      return 0
    },
    succeed: () => {
      failed = 0
      openUntil = null
      probing = false
    },
    fail: (rest) => {
      failed++
      probing = false
      if (failed < failures && openUntil === null && rest === undefined) return
      if (openUntil === null) onOpen?.()
      openUntil = Math.max(openUntil ?? 0, now() + (rest ?? restMs))
    },
  }
}
