/** Heights from and to, both included. */
export interface BlockRange {
  from: number
  to: number
}

/** JSON-RPC error code, ours alone, for a range that ends above the head of the node that was asked. */
export const LAGGING_NODE = -39_001

/** Splits in a row because of timeouts, which mostly mean a slow node and only sometimes a range that is too large. */
const MAX_TIMEOUT_SPLITS = 2
/** After so many answers in a row twice the span is tried: limits may depend on what a range holds. */
const MIN_GROW_AFTER = 16
const MAX_GROW_AFTER = 4_096

/**
 * Asks for ranges of blocks in pieces that the node accepts. Providers limit eth_getLogs by blocks, by logs or by bytes, and say
 * so in words and codes of their own: any error that is an answer to the request counts as a refusal, and the piece is made
 * smaller, down to one block. The size that worked is kept for the next request. A node that fails (unreachable, 429, a
 * quota) is not asked for smaller pieces: the error is thrown, and the caller retries later.
 */
export class RangeSplitter {
  #span = Number.MAX_SAFE_INTEGER
  /** The largest span that was answered since the last refusal of it. */
  #accepted = 1
  #successes = 0
  #growAfter = MIN_GROW_AFTER

  /** The answers for all pieces, lowest first. Rejects with the error of a piece that cannot be split, or of a failure. */
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
    // A larger span that was tried again and refused is tried less often.
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

const ofRate = /too many requests|rate.?limit|per (second|minute)|throttl|quota|credits|capacity|slow down/i
const ofRange = /block|range|result|logs|response size|too (large|big|wide|many logs)/i
const GATEWAY_TIMEOUTS = [408, 504, 524]
const REJECTION_STATUSES = [400, 413, 422]

/** Whether a node answered that it will not serve a range like this. */
export const isRangeRejection = (error: unknown): boolean => classifyError(error) === 'refusal'

function classifyError(error: unknown): 'refusal' | 'timeout' | 'failure' {
  for (const { name, code, status, message, details } of causesOf(error)) {
    if (name === 'TimeoutError') return 'timeout'
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

/** The span that a refusal names: a range that would do, in brackets, or a number of blocks. */
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
