import type { Turnover } from './sums.ts'

/**
 * The trending score: every trade counts with its volume, and the weight of what is past halves every HALF_LIFE seconds.
 * Decay is forward (Cormode, Shkapenyuk, Srivastava, Xu 2009): a trade at time t weighs volume x 2^(t / HALF_LIFE), which
 * never changes again, so nothing has to be touched for a score to fade, and scores keep their order between trades. The
 * sum is kept as its logarithm to base 2, which a float can hold for any t.
 *
 * Volume is linear on purpose: splitting a trade into many gains nothing. A trade's time is the start of its minute, so
 * that the score can be had from minute candles.
 */
export const HALF_LIFE = 3 * 3_600

/** Days that weigh less than 2^-HORIZON of the weightiest one are left out when a score is made anew. */
export const HORIZON_HALF_LIVES = 40

const NATIVE_UNIT = 1e18

/** log2 of the weight of a minute's volume (base units); -Infinity for none. bucket: unix seconds. */
export function weighMinute(bucket: number, volume: Turnover['volume']): number {
  return volume > 0n ? Math.log2(Number(volume) / NATIVE_UNIT) + bucket / HALF_LIFE : Number.NEGATIVE_INFINITY
}

/** log2(2^a + 2^b). */
export function addLog2(a: number, b: number): number {
  const high = Math.max(a, b)
  if (high === Number.NEGATIVE_INFINITY) return high
  return high + Math.log2(1 + 2 ** (Math.min(a, b) - high))
}
