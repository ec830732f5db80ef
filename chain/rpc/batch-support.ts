/** How long a server that rejected a batch gets single requests. Another one behind the same URL may take batches. */
const UNBATCHED_MS = 10 * 60_000

/** The servers, by URL, that rejected a batch and answered its calls one by one. */
export class BatchSupport {
  readonly #now: () => number
  readonly #unbatchedUntil = new Map<string, number>()

  /** now: in milliseconds; tests replace it. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  accepts(url: string): boolean {
    return (this.#unbatchedUntil.get(url) ?? 0) <= this.#now()
  }

  /** Not extended by single requests, which say nothing about batches. */
  recordRejection(url: string): void {
    if (this.accepts(url)) this.#unbatchedUntil.set(url, this.#now() + UNBATCHED_MS)
  }
}
