import { MAX_AMOUNT } from '../chain/bounds.ts'
import { powerOfTen, type QuoteAsset } from '../chain/rates.ts'
import type { CurveSoldFact, CurveStateFact, CurveTerms } from './launchpad.ts'

/** Of the native coin. */
const NATIVE_DECIMALS = 18

/** The terms of a curve, whose amounts of the quote asset may have other decimals, in base units. quote: null for the native coin. */
export function inBaseUnits(terms: CurveTerms, quote: Pick<QuoteAsset, 'decimals'> | null): CurveTerms {
  const { quoteDecimals, ...others } = terms
  if (quoteDecimals === undefined) return terms
  const [to, from] = [powerOfTen(quote?.decimals ?? NATIVE_DECIMALS), powerOfTen(quoteDecimals)]
  const [virtualQuote, targetQuote] = [terms.virtualQuote, terms.targetQuote].map((amount) => (amount * to) / from)
  return { ...others, virtualQuote: virtualQuote!, targetQuote: targetQuote! }
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
  return {
    kind: 'curve-state',
    token,
    ...{ virtualQuote, virtualToken: left, realQuote: virtualQuote - quote, realToken: null },
  }
}
