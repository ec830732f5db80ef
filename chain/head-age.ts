import type { Chain, Header } from './client.ts'

/** Blocks below the head whose intervals tell how far apart blocks may be. */
const SAMPLE = 32
const ESTIMATE_TTL_MS = 600_000
/** A head may be this many times as old as the longest of these intervals, and this old in any case. */
const FACTOR = 10
const LEAST_SECONDS = 120

/** How old, in seconds, the head may be: learned from the chain's own intervals. A chain without blocks to compare tells nothing. */
async function estimateMaxAge(chain: Pick<Chain, 'getHeader'>, head: Header): Promise<number | null> {
  const heights = Array.from({ length: SAMPLE }, (_, index) => head.number - 1 - index).filter((number) => number > 0)
  if (heights.length < SAMPLE) return null
  const headers = await Promise.all(heights.map((number) => chain.getHeader(number)))
  const times = [head, ...headers].map((header) => header?.time)
  const gaps = times.slice(1).map((time, index) => (times[index] ?? Number.NaN) - (time ?? Number.NaN))
  const longest = Math.max(...gaps)
  return Number.isFinite(longest) ? Math.max(LEAST_SECONDS, FACTOR * longest) : null
}

/**
 * Detects a head that does not move where blocks are expected. maxAge: seconds that a head may be old; null: what the chain's
 * own intervals make likely; 0: nothing is checked, as on a chain that mines on demand.
 */
export function createHeadCheck(chain: Pick<Chain, 'getHeader'>, maxAge: number | null, now = Date.now) {
  let learned: { maxAge: number; until: number } | undefined
  return async (head: Header): Promise<void> => {
    if (maxAge === 0) return
    const age = now() / 1000 - head.time
    if (maxAge === null && age > LEAST_SECONDS && (!learned || now() > learned.until)) {
      const found = await estimateMaxAge(chain, head)
      learned = found === null ? undefined : { maxAge: found, until: now() + ESTIMATE_TTL_MS }
    }
    const limit = maxAge ?? learned?.maxAge ?? Number.POSITIVE_INFINITY
    if (age > limit)
      throw new Error(`The newest block of the node is ${Math.round(age)} s old; at most ${limit} s are expected`)
  }
}
