/** Work that makes no progress. */
export interface Stall {
  /** Milliseconds since 1970 of the last progress. */
  since: number
  reason: string
}

interface Options {
  /** Work without progress for this long is stalled. */
  limitMs: number
  checkMs: number
  /** Why there is no progress, if work did not note a reason. */
  explain: () => string
  /** Called after each failure, at each check while the work is stalled, and with null at the next progress. */
  report: (stall: Stall | null) => void
  /** A clock in milliseconds; tests replace it. */
  now?: () => number
}

/** Watches work that may fail, hang, or go on without a result. */
export class StallWatch {
  readonly #options: Options
  readonly #now: () => number
  #isActive = false
  #since: number
  #reason: string | undefined
  /** Also true before the first progress: an earlier process may have reported a stall. */
  #isReported = true
  /** Running work of `exclude`, and when the first of it began. */
  #excluded = 0
  #excludedAt = 0

  constructor(options: Options) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#since = this.#now()
  }

  /** Checks until the signal aborts. */
  start(signal: AbortSignal): void {
    const timer = setInterval(() => this.check(), this.#options.checkMs).unref()
    signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  }

  /** Progress is expected from now on. After a failure, the time since the last progress goes on. */
  begin(): void {
    this.#isActive = true
    if (this.#reason === undefined) this.#since = this.#now()
  }

  /** Nothing is reported until `begin`. */
  pause(): void {
    this.#isActive = false
  }

  /** Does the same as `pause`, and ends earlier failures. */
  rest(): void {
    this.#isActive = false
    this.#since = this.#now()
    this.#reason = undefined
    this.#isReported = true
  }

  progress(): void {
    this.#since = this.#now()
    this.#reason = undefined
    if (this.#isReported) this.#options.report(null)
    this.#isReported = false
  }

  /** Why the work has no result so far. It goes on. */
  note(reason: string): void {
    this.#reason = reason
  }

  fail(reason: string): void {
    this.#reason = reason
    this.#report(reason)
  }

  /** The time of this work does not count: it has an end, and does not wait for what is watched. */
  async exclude<T>(work: () => Promise<T>): Promise<T> {
    if (this.#excluded++ === 0) this.#excludedAt = this.#now()
    try {
      return await work()
    } finally {
      if (--this.#excluded === 0) this.#since += this.#now() - this.#excludedAt
    }
  }

  check(): void {
    const isStalled = this.#now() - this.#since >= this.#options.limitMs
    if (this.#isActive && this.#excluded === 0 && isStalled) this.#report(this.#reason ?? this.#options.explain())
  }

  #report(reason: string): void {
    this.#isReported = true
    this.#options.report({ since: this.#since, reason })
  }
}
