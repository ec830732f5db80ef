import { AppError } from '../errors.ts'
import { type Curve, CurveError, type CurveErrorCode, getAmountOut, quoteBuy, quoteSell } from './curve.ts'
import { formatRatio } from './price.ts'

const BPS = 10_000n
const MAX_AMOUNT = 2n ** 128n - 1n

/** What a quote of a token depends on. Amounts in base units. */
export interface QuoteState {
  token: string
  launchpad: string
  status: 'curve' | 'completed' | 'graduated'
  curve: Curve
  pool: { quote: bigint; token: bigint } | null
}

export interface TradeRequest {
  side: 'buy' | 'sell'
  /** A buy: native coin, fees included. A sell: tokens. */
  amount: bigint
  slippageBps: number
}

export interface TradeQuote {
  venue: 'curve' | 'pool'
  amountIn: bigint
  amountOut: bigint
  minimumOut: bigint
  refund: bigint
  protocolFee: bigint
  creatorFee: bigint
  /** In the input currency. */
  poolFee: bigint
  priceImpactPct: number
  /** Spot prices around the trade: native coin for a whole token, as a decimal. Null without reserves. */
  priceBefore: string | null
  priceAfter: string | null
  completesCurve: boolean
}

const rejectionReasons: Record<Exclude<CurveErrorCode, 'CurveClosed'>, string> = {
  AmountTooLarge: 'The amount is larger than any trade can be',
  ExceedsSold: 'The amount is more than the curve has ever sold',
  ZeroAmount: 'The amount is too small to trade',
  ZeroOutput: 'The amount is too small to get anything for it',
}

/**
 * Quotes a trade, exact to the base unit. Throws AppError: TOKEN_NOT_TRADABLE if the token cannot be traded now, UNTRADABLE if
 * this amount cannot.
 */
export function quoteTrade(state: QuoteState, request: TradeRequest): TradeQuote {
  if (request.amount > MAX_AMOUNT) throw new AppError('UNTRADABLE', { reason: rejectionReasons.AmountTooLarge })
  try {
    const quote = state.status === 'graduated' ? quotePool(state, request) : quoteCurve(state.curve, request)
    return withMinimum(request, quote)
  } catch (error) {
    if (!(error instanceof CurveError)) throw error
    if (error.code === 'CurveClosed') throw new AppError('TOKEN_NOT_TRADABLE', { reason: 'its curve is completed' })
    throw new AppError('UNTRADABLE', { reason: rejectionReasons[error.code] })
  }
}

/** Adds the output below which the trade reverts. */
export const withMinimum = ({ slippageBps }: TradeRequest, quote: Omit<TradeQuote, 'minimumOut'>): TradeQuote => ({
  ...quote,
  minimumOut: (quote.amountOut * (BPS - BigInt(slippageBps))) / BPS,
})

function quoteCurve(curve: Curve, { side, amount }: TradeRequest): Omit<TradeQuote, 'minimumOut'> {
  const { virtualQuote, virtualToken } = curve
  if (side === 'buy') {
    const { tokenOut, quoteIn, refund, protocolFee, creatorFee, completes, after } = quoteBuy(curve, amount)
    const net = quoteIn - protocolFee - creatorFee
    return {
      venue: 'curve',
      amountIn: quoteIn,
      amountOut: tokenOut,
      refund,
      protocolFee,
      creatorFee,
      poolFee: 0n,
      priceImpactPct: impactOf(net, virtualQuote, tokenOut, virtualToken, side),
      priceBefore: priceOf(curve),
      priceAfter: priceOf(after),
      completesCurve: completes,
    }
  }
  const { quoteOut, protocolFee, creatorFee, after } = quoteSell(curve, amount)
  const gross = quoteOut + protocolFee + creatorFee
  return {
    venue: 'curve',
    amountIn: amount,
    amountOut: quoteOut,
    refund: 0n,
    protocolFee,
    creatorFee,
    poolFee: 0n,
    priceImpactPct: impactOf(gross, virtualQuote, amount, virtualToken, side),
    priceBefore: priceOf(curve),
    priceAfter: priceOf(after),
    completesCurve: false,
  }
}

function quotePool({ pool }: QuoteState, { side, amount }: TradeRequest): Omit<TradeQuote, 'minimumOut'> {
  if (!pool) throw new AppError('TOKEN_NOT_TRADABLE', { reason: 'the reserves of its pool are not known yet' })
  const poolFee = amount - (amount * 997n) / 1000n
  const [reserveIn, reserveOut] = side === 'buy' ? [pool.quote, pool.token] : [pool.token, pool.quote]
  const amountOut = getAmountOut(amount, reserveIn, reserveOut)
  if (amountOut === 0n) throw new CurveError('ZeroOutput')
  const net = amount - poolFee
  const [quote, token] = side === 'buy' ? [net, amountOut] : [amountOut, net]
  return {
    venue: 'pool',
    amountIn: amount,
    amountOut,
    refund: 0n,
    protocolFee: 0n,
    creatorFee: 0n,
    poolFee,
    priceImpactPct: impactOf(quote, pool.quote, token, pool.token, side),
    priceBefore: formatRatio(pool.quote, pool.token),
    // The fee stays in the pool.
    priceAfter:
      side === 'buy'
        ? formatRatio(pool.quote + amount, pool.token - amountOut)
        : formatRatio(pool.quote - amountOut, pool.token + amount),
    completesCurve: false,
  }
}

const priceOf = ({ virtualQuote, virtualToken }: Curve) => formatRatio(virtualQuote, virtualToken)

/**
 * Price impact in percent, six decimals: execution price (without fees) against the spot price before the trade. At least 0:
 * rounding can favour the trader of a few base units.
 */
export function impactOf(
  quote: bigint,
  reserveQuote: bigint,
  token: bigint,
  reserveToken: bigint,
  side: 'buy' | 'sell',
): number {
  const paid = quote * reserveToken
  const fair = token * reserveQuote
  if (fair === 0n) return 0
  const worse = side === 'buy' ? paid - fair : fair - paid
  return Math.max(0, Number((worse * 100_000_000n) / fair) / 1_000_000)
}
