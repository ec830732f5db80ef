import { type Curve, getAmountOut, quoteBuy, quoteSell } from '../../chain/curve.ts'

/** Where a token is traded, with the reserves that determine its price. */
export type Exchange =
  | { kind: 'curve'; curve: Curve }
  | { kind: 'pool'; quote: bigint; token: bigint; targetQuote: bigint }

export type Side = 'buy' | 'sell'

export interface Outcome {
  amountOut: bigint
  after: Exchange
  /** The trade reaches the target: trading stops until graduation. */
  completes: boolean
}

const MICRO = 1_000_000
const LARGEST = 2n * 10n ** 18n

/**
 * Progress of a token: 0 at launch, 1 at graduation, above or below 1 in its pool. With target T, the curve starts at a
 * virtual quote of T / 3 and the pool at T, and prices grow with the square of the quote reserve: on both, the price is
 * (1 + 3 level)² times the initial one.
 */
export function levelOf(exchange: Exchange): number {
  if (exchange.kind === 'curve') return ratio(exchange.curve.realQuote, exchange.curve.targetQuote)
  return (4 * ratio(exchange.quote, exchange.targetQuote) - 1) / 3
}

/** The input (native coin to buy, tokens to sell) that moves the level by about `distance` > 0. */
export function sizeTrade(exchange: Exchange, side: Side, distance: number): bigint {
  const { quote, token, target } = reservesOf(exchange)
  const share = BigInt(Math.round(distance * MICRO))
  const net = exchange.kind === 'curve' ? (target * share) / BigInt(MICRO) : (target * share * 3n) / BigInt(4 * MICRO)
  // At most half of the reserve, and LARGEST per trade.
  const moved = [net, quote / 2n, LARGEST].reduce((least, one) => (one < least ? one : least))
  if (side === 'sell') return roundAmount((quote * token) / (quote - moved) - token)
  const feeBps = exchange.kind === 'curve' ? BigInt(exchange.curve.protocolFeeBps + exchange.curve.creatorFeeBps) : 30n
  return roundAmount((moved * 10_000n) / (10_000n - feeBps))
}

/** Computes the outcome of a trade as the contracts do. @throws CurveError where they revert */
export function trade(exchange: Exchange, side: Side, amountIn: bigint): Outcome {
  if (exchange.kind === 'curve') {
    if (side === 'buy') {
      const { tokenOut, completes, after } = quoteBuy(exchange.curve, amountIn)
      return { amountOut: tokenOut, completes, after: { kind: 'curve', curve: after } }
    }
    const { quoteOut, after } = quoteSell(exchange.curve, amountIn)
    return { amountOut: quoteOut, completes: false, after: { kind: 'curve', curve: after } }
  }
  const { quote, token } = exchange
  const amountOut = side === 'buy' ? getAmountOut(amountIn, quote, token) : getAmountOut(amountIn, token, quote)
  const after: Exchange =
    side === 'buy'
      ? { ...exchange, quote: quote + amountIn, token: token - amountOut }
      : { ...exchange, quote: quote - amountOut, token: token + amountIn }
  return { amountOut, completes: false, after }
}

/** Rounds down to two significant digits, as humans choose amounts. */
export function roundAmount(amount: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, amount.toString().length - 2))
  return (amount / unit) * unit
}

function reservesOf(exchange: Exchange): { quote: bigint; token: bigint; target: bigint } {
  if (exchange.kind === 'pool') return { quote: exchange.quote, token: exchange.token, target: exchange.targetQuote }
  const { virtualQuote, virtualToken, targetQuote } = exchange.curve
  return { quote: virtualQuote, token: virtualToken, target: targetQuote }
}

function ratio(part: bigint, whole: bigint): number {
  return Number((part * BigInt(MICRO)) / whole) / MICRO
}
