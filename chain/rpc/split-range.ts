import { ofRate } from './read-reply.ts'

/** Block heights, both inclusive. */
export interface BlockRange {
  from: number
  to: number
}

/** Internal JSON-RPC error code: the range ends above the head of the responding node. */
export const LAGGING_NODE = -39_001

/** Consecutive splits after timeouts: most timeouts mean a slow node, not a large range. */
const MAX_TIMEOUT_SPLITS = 2
/** Successes in a row before the span doubles: limits may depend on the contents of a range. */
const MIN_GROW_AFTER = 16
const MAX_GROW_AFTER = 4_096

/**
 * Splits block ranges until the node accepts them, and keeps the accepted span. Providers limit eth_getLogs by blocks, logs or
 * bytes, with different errors: any error response counts as a rejection and shrinks the span, down to one block. A failing
 * node (unreachable, 429, quota) gets no smaller ranges: the error is thrown for the caller to retry.
 */
export class RangeSplitter {
  #span = Number.MAX_SAFE_INTEGER
  /** The largest span accepted since its last rejection. */
  #accepted = 1
  #successes = 0
  #growAfter = MIN_GROW_AFTER

  /** Results of all pieces, lowest first. Rejects with the error of a piece that cannot be split, or with a node failure. */
  async collect<T>(range: BlockRange, ask: (piece: BlockRange) => Promise<T>): Promise<T[]> {
    const answers: T[] = []
    let timeouts = 0
    for (let from = range.from; from <= range.to; ) {
      const to = Math.min(range.to, from + this.#span - 1)
      const size = to - from + 1
      try {
        answers.push(await ask({ from, to }))
        from = to + 1
        timeouts = 0
        this.#grow(size)
      } catch (error) {
        const outcome = classifyError(error)
        if (outcome === 'timeout') timeouts += 1
        if (outcome === 'failure' || size === 1 || timeouts > MAX_TIMEOUT_SPLITS) throw error
        this.#shrink(size, outcome === 'refusal' ? readSuggestedSpan(error) : undefined)
      }
    }
    return answers
  }

  #shrink(size: number, suggested: number | undefined): void {
    // A larger span was rejected again: try it less often.
    const isTrial = this.#accepted < size && this.#successes > 0
    if (isTrial) this.#growAfter = Math.min(this.#growAfter * 4, MAX_GROW_AFTER)
    const next = isTrial ? this.#accepted : (suggested ?? Math.floor(size / 4))
    this.#span = Math.max(1, Math.min(next, size - 1))
    this.#accepted = Math.min(this.#accepted, this.#span)
    this.#successes = 0
  }

  #grow(size: number): void {
    if (size < this.#span) return
    this.#accepted = Math.max(this.#accepted, size)
    this.#successes += 1
    if (this.#successes % this.#growAfter === 0) this.#span = Math.min(this.#span * 2, Number.MAX_SAFE_INTEGER)
  }
}

interface RequestError extends Error {
  code?: unknown
  status?: unknown
  details?: unknown
}

function* causesOf(error: unknown): Generator<RequestError> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause
}

const ofRange = /block|range|result|logs|response size|too (large|big|wide|many logs)/i
const GATEWAY_TIMEOUTS = [408, 504, 524]
const REJECTION_STATUSES = [400, 403, 413, 422]

/** Whether a node rejected the range because of its size. */
export const isRangeRejection = (error: unknown): boolean => classifyError(error) === 'refusal'

/** Whether no node was known to have the end of the range. */
export function isLagging(error: unknown): boolean {
  for (const { code } of causesOf(error)) if (code === LAGGING_NODE) return true
  return false
}

function classifyError(error: unknown): 'refusal' | 'timeout' | 'failure' {
  for (const { name, code, status, message, details } of causesOf(error)) {
    if (name === 'TimeoutError') return 'timeout'
    // A shorter list helps, and a shorter range does not.
    if (name === 'ListRejectedError') return 'failure'
    if (typeof status === 'number') {
      if (GATEWAY_TIMEOUTS.includes(status)) return 'timeout'
      return REJECTION_STATUSES.includes(status) ? 'refusal' : 'failure'
    }
    if (typeof code !== 'number') continue
    if (code === LAGGING_NODE) return 'failure'
    const words = typeof details === 'string' ? details : message
    return ofRate.test(words) && !ofRange.test(words.replaceAll(/rate.?limit\w*/gi, '')) ? 'failure' : 'refusal'
  }
  return 'failure'
}

/** The span that an error message suggests: an accepted range in brackets, or a number of blocks. */
function readSuggestedSpan(error: unknown): number | undefined {
  for (const { message, details } of causesOf(error)) {
    const words = typeof details === 'string' ? details : message
    const [, from, to] = /\[\s*(0x[0-9a-f]+|\d+)\s*,\s*(0x[0-9a-f]+|\d+)\s*\]/i.exec(words) ?? []
    if (from !== undefined && Number(to) >= Number(from)) return Number(to) - Number(from) + 1
    const [, count = '', thousands] = /(\d[\d,]*)\s*(k)?[ -]?blocks?\b/i.exec(words) ?? []
    const blocks = Number(count.replaceAll(',', '')) * (thousands ? 1_000 : 1)
    if (blocks > 0) return blocks
  }
  return undefined
}
