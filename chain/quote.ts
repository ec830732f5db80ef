import { AppError } from '../errors.ts'
import { type Curve, CurveError, type CurveErrorCode, getAmountOut, quoteBuy, quoteSell } from './curve.ts'

const BPS = 10_000n
const MAX_AMOUNT = 2n ** 128n - 1n

/** Where a token trades now. Amounts in base units. */
export interface Market {
  token: string
  launchpad: string
  status: 'curve' | 'completed' | 'graduated'
  curve: Curve
  pool: { quote: bigint; token: bigint } | null
}

export interface TradeRequest {
  side: 'buy' | 'sell'
  /** Native coin of a buy, fees included; tokens of a sell. */
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
  /** In the currency that goes in. */
  poolFee: bigint
  priceImpactPct: number
  completesCurve: boolean
}

const rejectionReasons: Record<Exclude<CurveErrorCode, 'CurveClosed'>, string> = {
  AmountTooLarge: 'The amount is larger than any trade can be',
  ExceedsSold: 'The amount is more than the curve has ever sold',
  ZeroAmount: 'The amount is too small to trade',
  ZeroOutput: 'The amount is too small to get anything for it',
}

/**
 * What a trade would do, to the last unit. Throws TOKEN_NOT_TRADABLE where nothing can be traded at the moment, and
 * UNTRADABLE where this amount cannot.
 */
export function quoteTrade(market: Market, request: TradeRequest): TradeQuote {
  if (request.amount > MAX_AMOUNT) throw new AppError('UNTRADABLE', { reason: rejectionReasons.AmountTooLarge })
  try {
    const quote = market.status === 'graduated' ? quotePool(market, request) : quoteCurve(market.curve, request)
    return { ...quote, minimumOut: (quote.amountOut * (BPS - BigInt(request.slippageBps))) / BPS }
  } catch (error) {
    if (!(error instanceof CurveError)) throw error
    if (error.code === 'CurveClosed') throw new AppError('TOKEN_NOT_TRADABLE', { reason: 'its curve is completed' })
    throw new AppError('UNTRADABLE', { reason: rejectionReasons[error.code] })
  }
}

function quoteCurve(curve: Curve, { side, amount }: TradeRequest): Omit<TradeQuote, 'minimumOut'> {
  const { virtualQuote, virtualToken } = curve
  if (side === 'buy') {
    const { tokenOut, quoteIn, refund, protocolFee, creatorFee, completes } = quoteBuy(curve, amount)
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
      completesCurve: completes,
    }
  }
  const { quoteOut, protocolFee, creatorFee } = quoteSell(curve, amount)
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
    completesCurve: false,
  }
}

function quotePool({ pool }: Market, { side, amount }: TradeRequest): Omit<TradeQuote, 'minimumOut'> {
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
    completesCurve: false,
  }
}

/**
 * How far the trade's own price (quote per token, fees left out) is from that of the reserves before it, to the side
 * that hurts, in percent to six decimals. Rounding can favour the trader of a few units: that is no impact.
 */
function impactOf(
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
