import { MAX_AMOUNT } from '../chain/bounds.ts'
import type { CurveSoldFact, CurveStateFact, CurveTerms } from './launchpad.ts'

/** The decimals of the native coin. */
const NATIVE_DECIMALS = 18

/** The terms of a curve, whose amounts of the quote asset may have other decimals, in base units. quote: null for the native coin. */
export function inBaseUnits(terms: CurveTerms, quote: { readonly decimals: number } | null): CurveTerms {
  const { quoteDecimals, ...others } = terms
  if (quoteDecimals === undefined) return terms
  const [to, from] = [10n ** BigInt(quote?.decimals ?? NATIVE_DECIMALS), 10n ** BigInt(quoteDecimals)]
  return {
    ...others,
    virtualQuote: (terms.virtualQuote * to) / from,
    targetQuote: (terms.targetQuote * to) / from,
  }
}

/**
 * The reserves of a curve whose product is constant, once so many tokens are sold. It is rounded up, as what is left of a curve is.
 * Undefined if the curve has not so many tokens. start: the virtual reserves at the launch.
 */
export function findReserves(
  { token, sold }: CurveSoldFact,
  start: Readonly<Record<'virtualQuote' | 'virtualToken', string>>,
): CurveStateFact | undefined {
  const [quote, total] = [BigInt(start.virtualQuote), BigInt(start.virtualToken)]
  const left = total - sold
  if (left <= 0n) return undefined
  const virtualQuote = (quote * total + left - 1n) / left
  if (virtualQuote > MAX_AMOUNT) return undefined
  return { kind: 'curve-state', token, virtualQuote, virtualToken: left, realQuote: null, realToken: null }
}
