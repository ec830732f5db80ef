// The launchpad's arithmetic, to the last unit: contracts/src/CurveMath.sol in bigints. All amounts are base units (wei
// and 1e-18 tokens), fees are basis points of the gross quote. Tests hold this file against the deployed contract.

export type Curve = {
  virtualQuote: bigint
  virtualToken: bigint
  /** Native coin that the curve holds, fees excluded. */
  realQuote: bigint
  /** Tokens still for sale. */
  realToken: bigint
  targetQuote: bigint
  protocolFeeBps: number
  creatorFeeBps: number
}

export type BuyQuote = {
  tokenOut: bigint
  /** What the trader pays in the end: the amount offered, less the refund. */
  quoteIn: bigint
  refund: bigint
  protocolFee: bigint
  creatorFee: bigint
  completes: boolean
  after: Curve
}

export type SellQuote = { quoteOut: bigint; protocolFee: bigint; creatorFee: bigint; after: Curve }

export type CurveErrorCode = 'AmountTooLarge' | 'CurveClosed' | 'ExceedsSold' | 'ZeroAmount' | 'ZeroOutput'

/** The trade is one that the contract reverts; `code` is the name of the contract's error. */
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
/** Four fifths of the supply are for sale; the rest is the pool's. */
export const nominalSaleSupply = (totalSupply * 8n) / 10n
export const initialVirtualToken = divideUp(nominalSaleSupply * 4n, 3n)

/** virtualQuote of a new curve. A third of the target makes the curve's last price the pool's first (see CurveMath). */
function initialVirtualQuote(targetQuote: bigint): bigint {
  return divideUp(targetQuote, 3n)
}

/** Tokens that a curve, given its initial virtual reserves, has sold when `targetQuote` has come in. */
export function saleSupply(virtualQuote: bigint, virtualToken: bigint, targetQuote: bigint): bigint {
  // A curve of no coins at all, which only a strange contract says it has, sells nothing.
  if (virtualQuote + targetQuote === 0n) return 0n
  return virtualToken - divideUp(virtualQuote * virtualToken, virtualQuote + targetQuote)
}

/** The state of a curve that was just created. */
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
 * What `quoteIn` (gross, fees included) buys. The last buy is clipped to the target and the excess refunded.
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
 * What `tokenIn` sells for, after fees.
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
 * What a Uniswap V2 pair gives for `amountIn`: constant product after a fee of 0.3 % on the input
 * (getAmountOut of UniswapV2Library, whitepaper section 3.2.1).
 * @throws CurveError ZeroAmount for no input or an empty pool
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

/** The smallest gross amount whose net is exactly `net`: a lower bound that ignores rounding, then a few steps up. */
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

/** Division rounded up, for non-negative dividends. */
function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
