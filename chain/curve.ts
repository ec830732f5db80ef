// contracts/src/CurveMath.sol in bigints, exact to the base unit. Amounts are wei and 1e-18 tokens; fees are basis points of
// the gross quote amount. Tests compare this file with the deployed contract.

export type Curve = {
  virtualQuote: bigint
  virtualToken: bigint
  /** Native coin in the curve, without fees. */
  realQuote: bigint
  /** Tokens left for sale. */
  realToken: bigint
  targetQuote: bigint
  protocolFeeBps: number
  creatorFeeBps: number
}

export type BuyQuote = {
  tokenOut: bigint
  /** Net cost to the trader: the amount offered minus the refund. */
  quoteIn: bigint
  refund: bigint
  protocolFee: bigint
  creatorFee: bigint
  completes: boolean
  after: Curve
}

export type SellQuote = { quoteOut: bigint; protocolFee: bigint; creatorFee: bigint; after: Curve }

export type CurveErrorCode = 'AmountTooLarge' | 'CurveClosed' | 'ExceedsSold' | 'ZeroAmount' | 'ZeroOutput'

/** The contract reverts this trade; `code` is the name of its Solidity error. */
export class CurveError extends Error {
  readonly code: CurveErrorCode
  constructor(code: CurveErrorCode) {
    super(`The curve rejects this trade: ${code}`)
    this.name = 'CurveError'
    this.code = code
  }
}

const bps = 10_000n
const maxAmount = 2n ** 128n - 1n

export const totalSupply = 1_000_000_000n * 10n ** 18n
/** 80 % of the supply is for sale; the pool gets the rest. */
export const nominalSaleSupply = (totalSupply * 8n) / 10n
export const initialVirtualToken = divideUp(nominalSaleSupply * 4n, 3n)

/** With a third of the target, the curve's final price equals the pool's initial price (see CurveMath). */
function initialVirtualQuote(targetQuote: bigint): bigint {
  return divideUp(targetQuote, 3n)
}

/** Tokens sold once `targetQuote` has been raised, from the initial virtual reserves. */
export function saleSupply(virtualQuote: bigint, virtualToken: bigint, targetQuote: bigint): bigint {
  // Only a non-standard contract reports a curve with no quote at all.
  if (virtualQuote + targetQuote === 0n) return 0n
  return virtualToken - divideUp(virtualQuote * virtualToken, virtualQuote + targetQuote)
}

export function newCurve(targetQuote: bigint, protocolFeeBps: number, creatorFeeBps: number): Curve {
  const virtualQuote = initialVirtualQuote(targetQuote)
  const realToken = saleSupply(virtualQuote, initialVirtualToken, targetQuote)
  return {
    virtualQuote,
    virtualToken: initialVirtualToken,
    realQuote: 0n,
    realToken,
    targetQuote,
    protocolFeeBps,
    creatorFeeBps,
  }
}

/**
 * Quote for spending `quoteIn` (gross, fees included). The final buy is capped at the target and the excess refunded.
 * @throws CurveError where the contract reverts
 */
export function quoteBuy(curve: Curve, quoteIn: bigint): BuyQuote {
  requireOpen(curve)
  if (quoteIn <= 0n) throw new CurveError('ZeroAmount')
  if (quoteIn > maxAmount) throw new CurveError('AmountTooLarge')
  const { virtualQuote, virtualToken } = curve
  const remaining = curve.targetQuote - curve.realQuote
  const offered = splitFees(curve, quoteIn)
  if (offered.net <= 0n) throw new CurveError('ZeroOutput')

  const completes = offered.net >= remaining
  const gross = completes ? findGross(curve, remaining) : quoteIn
  const { net, protocolFee, creatorFee } = completes ? splitFees(curve, gross) : offered
  const tokenOut = completes
    ? curve.realToken
    : virtualToken - divideUp(virtualQuote * virtualToken, virtualQuote + net)
  if (tokenOut === 0n) throw new CurveError('ZeroOutput')
  const after = moveReserves(curve, net, -tokenOut)
  return { tokenOut, quoteIn: gross, refund: quoteIn - gross, protocolFee, creatorFee, completes, after }
}

/**
 * Quote for selling `tokenIn`. The output is net of fees.
 * @throws CurveError where the contract reverts
 */
export function quoteSell(curve: Curve, tokenIn: bigint): SellQuote {
  requireOpen(curve)
  if (tokenIn <= 0n) throw new CurveError('ZeroAmount')
  const { virtualQuote, virtualToken } = curve
  if (tokenIn > initialVirtualToken - virtualToken) throw new CurveError('ExceedsSold')
  const gross = virtualQuote - divideUp(virtualQuote * virtualToken, virtualToken + tokenIn)
  const { net, protocolFee, creatorFee } = splitFees(curve, gross)
  if (net <= 0n) throw new CurveError('ZeroOutput')
  return { quoteOut: net, protocolFee, creatorFee, after: moveReserves(curve, -gross, tokenIn) }
}

/**
 * Output of a Uniswap V2 pair: constant product after a 0.3 % fee on the input (UniswapV2Library.getAmountOut).
 * @throws CurveError ZeroAmount if the input or a reserve is not positive
 */
export function getAmountOut(amountIn: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  if (amountIn <= 0n || reserveIn <= 0n || reserveOut <= 0n) throw new CurveError('ZeroAmount')
  const effective = amountIn * 997n
  return (effective * reserveOut) / (reserveIn * 1_000n + effective)
}

function requireOpen(curve: Curve) {
  if (curve.realQuote >= curve.targetQuote) throw new CurveError('CurveClosed')
}

function splitFees(curve: Curve, gross: bigint) {
  const protocolFee = divideUp(gross * BigInt(curve.protocolFeeBps), bps)
  const creatorFee = divideUp(gross * BigInt(curve.creatorFeeBps), bps)
  return { net: gross - protocolFee - creatorFee, protocolFee, creatorFee }
}

/** The smallest gross amount whose net is exactly `net`: starts at a lower bound that ignores rounding. */
function findGross(curve: Curve, net: bigint): bigint {
  let gross = divideUp(net * bps, bps - BigInt(curve.protocolFeeBps + curve.creatorFeeBps))
  while (splitFees(curve, gross).net !== net) gross++
  return gross
}

function moveReserves(curve: Curve, quote: bigint, token: bigint): Curve {
  return {
    ...curve,
    virtualQuote: curve.virtualQuote + quote,
    realQuote: curve.realQuote + quote,
    virtualToken: curve.virtualToken + token,
    realToken: curve.realToken + token,
  }
}

/** Rounds up. The dividend must not be negative. */
function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
