export interface PaceOptions {
  /** The pause before the first replacement; it doubles with each further one. */
  firstMs: number
  longestMs: number
  /** A process that was ready for this long has not failed at its start. */
  stableMs: number
  /** After so many failures in a row, a worker is taken to fail at every start. */
  mostFailures: number
}

export const PACE: PaceOptions = { firstMs: 500, longestMs: 30_000, stableMs: 60_000, mostFailures: 5 }

/** How soon a process that ended is replaced, so that one that fails at every start costs little. */
export class RestartPace {
  readonly #options: PaceOptions
  #failures = 0

  constructor(options: PaceOptions) {
    this.#options = options
  }

  /** Counts a failure of a process that was ready for `readyMs`, 0 if never. Returns the pause before the next one. */
  fail(readyMs: number): number {
    const { firstMs, longestMs, stableMs } = this.#options
    if (readyMs >= stableMs) this.#failures = 0
    this.#failures += 1
    return Math.min(longestMs, firstMs * 2 ** (this.#failures - 1))
  }

  /** Whether it has failed too often in a row. */
  get isHopeless(): boolean {
    return this.#failures > this.#options.mostFailures
  }
}
