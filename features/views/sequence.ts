/**
 * Numbers of a point. A point has at most twice as many events as a view has tokens (see MAX_VIEW_TOKENS), and the last one has the
 * last number, so that a client that was cut off before it is recognised.
 */
const PER_POINT = 256

/** The `seq` of an event of a point that this many events of it follow. */
export const toSequence = (point: number, left = 0): number => point * PER_POINT + PER_POINT - 1 - left

/** The point of a `seq`; null if it is not that of a last event. */
export const toPoint = (seq: number): number | null =>
  seq % PER_POINT === PER_POINT - 1 ? Math.floor(seq / PER_POINT) : null

/** The first and the last commit between which nothing has changed, and the point at which the figures were read. */
interface Span {
  from: number
  to: number
  point: number
}

/** At one commit a second for three hours. */
const MAX_SPANS = 10_000

/**
 * The commits whose figures this process has had. Processes read the figures at different commits: a client of another one can
 * resume here if both were at its commit.
 */
export class Points {
  readonly #spans: Span[] = []

  /** The present point. */
  get last(): number {
    return this.#spans.at(-1)?.point ?? -1
  }

  /** The last commit of it. */
  get head(): number {
    return this.#spans.at(-1)?.to ?? -1
  }

  /** The figures of a commit, the same since `changedAt`; null: the same as at the last point. */
  add(seq: number, changedAt: number | null): void {
    const last = this.#spans.at(-1)
    if (changedAt === null && last) {
      this.extend(seq)
      return
    }
    this.#spans.push({ from: changedAt ?? seq, to: seq, point: seq })
    if (this.#spans.length > MAX_SPANS) this.#spans.splice(0, MAX_SPANS / 10)
  }

  /** Commits up to this one have changed nothing. */
  extend(seq: number): void {
    const last = this.#spans.at(-1)
    if (last) last.to = Math.max(last.to, seq)
  }

  /** The point at which this process had the figures of a commit; undefined if it had not. */
  find(commit: number): number | undefined {
    return this.#spans.findLast(({ from, to }) => commit >= from && commit <= to)?.point
  }

  clear(): void {
    this.#spans.length = 0
  }
}
