import { MAX_AMOUNT } from '../../chain/bounds.ts'

/** Uniswap V3 and V4 keep the square root of the price of token0 in token1 with 96 binary places. */
const SQUARED_PLACES = 192n

/**
 * The price as a fraction in base units, quote asset per token, whose parts are amounts: both are divided by the same power of two,
 * and rounded down.
 */
export function toFraction(sqrtPrice: bigint, tokenFirst: boolean): { quote: bigint; token: bigint } {
  let [one, zero] = [sqrtPrice * sqrtPrice, 1n << SQUARED_PLACES]
  while (one > MAX_AMOUNT || zero > MAX_AMOUNT) [one, zero] = [one >> 1n, zero >> 1n]
  return tokenFirst ? { quote: one, token: zero } : { quote: zero, token: one }
}
