import { ratioToNumber } from '../../chain/amounts.ts'
import { toNative, toWholeUnits } from '../../chain/rates.ts'
import type { LogPosition } from '../../db/queries/positions.ts'
import type { LaunchpadKind } from '../../launchpads/kinds.ts'
import { isAfter } from '../engine/batch.ts'
import type { CurveReserves, Latest, Reserves } from './collect-latest.ts'
import { addQuoteVolumes, type TokenSums } from './deltas.ts'
import type { LastTrade } from './last-trade.ts'
import { addTrends, type Trend, weighMinutes } from './trend.ts'

const PROGRESS_DECIMALS = 6
const FULL_PROGRESS = 100n * 10n ** BigInt(PROGRESS_DECIMALS)

export interface TokenFigures {
  /** The number of the token. */
  id: number
  launchpad: string
  launchpadKind: LaunchpadKind
  /** Whether the token has a row. */
  isStored: boolean
  /** The launch; null until this batch adds it, or when an undo has removed it. */
  created: LogPosition | null
  supply: bigint
  target: bigint
  /** Whether the quote asset is the native coin. */
  isNative: boolean
  decimals: { quote: number; token: number }
  curve: CurveReserves | null
  pool: Reserves | null
  poolAddress: string | null
  completed: LogPosition | null
  /** The graduation, at a time, or the launch in a pool. */
  graduated: (LogPosition & { at: number | null }) | null
  /** Unix seconds of the first trade, as loaded; null before it. */
  firstTradeAt: number | null
  /** Unix seconds up to which purchases are those of snipers; null before the first trade. */
  snipersUntil: number | null
  /** Whether a process of the version that had no bundlers has stored the launch. */
  lacksBundlers: boolean
  lastTrade: LastTrade | null
  athMarketCapUsd: number | null
  trend: Trend
  sums: TokenSums
}

export function statusOf(figures: TokenFigures): 'curve' | 'completed' | 'graduated' {
  return figures.graduated ? 'graduated' : figures.completed ? 'completed' : 'curve'
}

/** The reserves whose ratio is the price: the pool's after the graduation, else the curve's virtual ones. */
export function pricedReserves(figures: TokenFigures): Pick<Reserves, 'quote' | 'token' | 'rate'> {
  return (figures.graduated && figures.pool) || figures.curve || { quote: 0n, token: 0n, rate: null }
}

/** Whole units of the quote asset for one whole token. */
export function priceOf(figures: TokenFigures): number {
  const { quote, token } = toWholeUnits(pricedReserves(figures), figures.decimals)
  return ratioToNumber(quote, token)
}

/** Share of the target that the curve has raised, in percent, as a decimal string. */
export function formatProgress(figures: TokenFigures): string {
  const { curve, target } = figures
  let progress = 0n
  if (statusOf(figures) !== 'curve') progress = FULL_PROGRESS
  else if (curve && target > 0n) progress = (curve.realQuote * FULL_PROGRESS) / target
  if (progress > FULL_PROGRESS) progress = FULL_PROGRESS
  const digits = progress.toString().padStart(PROGRESS_DECIMALS + 1, '0')
  return `${digits.slice(0, -PROGRESS_DECIMALS)}.${digits.slice(-PROGRESS_DECIMALS)}`
}

/** Price x total supply, in base units of the native coin at the rate of the last price; 0 if that is unknown. */
export function marketCap(figures: TokenFigures): bigint {
  const { quote, token, rate } = pricedReserves(figures)
  const cap = token === 0n ? 0n : (quote * figures.supply) / token
  if (figures.isNative) return cap
  return rate === null ? 0n : (toNative(cap, figures.decimals.quote, rate) ?? 0n)
}

/** Adds a batch's changes: sums are added, and the latest values replace earlier ones. */
export function addToFigures(figures: TokenFigures, sums: TokenSums | undefined, latest: Latest | undefined): void {
  if (sums) addSums(figures.sums, sums)
  if (sums?.minutes) figures.trend = addTrends(figures.trend, weighMinutes(sums.minutes))
  if (!latest) return
  const { curve, pool, lastTrade, created } = latest
  if (created) figures.created = created
  if (curve && isAfter(curve, figures.curve)) figures.curve = curve
  if (pool && isAfter(pool, figures.pool)) figures.pool = pool
  if (lastTrade && isAfter(lastTrade, figures.lastTrade)) figures.lastTrade = lastTrade
  // A token completes once: the first event counts.
  const { completed } = latest
  if (completed && (!figures.completed || isAfter(figures.completed, completed))) figures.completed = completed
  if (latest.graduated) {
    figures.graduated = latest.graduated
    figures.poolAddress = latest.graduated.pool
  }
  if (latest.maxPriceUsd !== null) {
    const cap = toMarketCapUsd(latest.maxPriceUsd, figures)
    figures.athMarketCapUsd = Math.max(figures.athMarketCapUsd ?? 0, cap)
  }
}

export function toMarketCapUsd(
  priceUsd: number,
  { supply, decimals }: Pick<TokenFigures, 'supply' | 'decimals'>,
): number {
  return priceUsd * (Number(supply) / 10 ** decimals.token)
}

function addSums(to: TokenSums, what: TokenSums): void {
  for (const window of ['total', 'h1', 'h24'] as const) {
    to[window].trades += what[window].trades
    to[window].volume += what[window].volume
    to[window].volumeUsd += what[window].volumeUsd
  }
  if (what.quoteVolumes !== null) to.quoteVolumes = addQuoteVolumes(to.quoteVolumes, what.quoteVolumes)
  to.buysH1 += what.buysH1
  to.sellsH1 += what.sellsH1
  to.buysH24 += what.buysH24
  to.sellsH24 += what.sellsH24
  to.protocolFees += what.protocolFees
  to.creatorFees += what.creatorFees
  to.creatorFeesClaimed += what.creatorFeesClaimed
  to.positiveBalances += what.positiveBalances
  to.tradersH24 += what.tradersH24
  to.washVolume += what.washVolume
}
