import { MAX_AMOUNT } from '../../chain/bounds.ts'
import type { Trade } from './events.ts'

/** Totals of trades. volume in base units of the native coin, 0 where its value is unknown; volumeUsd with USD_DECIMALS decimals. */
export interface Turnover {
  trades: number
  volume: bigint
  volumeUsd: bigint
}

export const makeTurnover = (): Turnover => ({ trades: 0, volume: 0n, volumeUsd: 0n })

export function addTurnover(to: Turnover, what: Turnover): void {
  to.trades += what.trades
  to.volume += what.volume
  to.volumeUsd += what.volumeUsd
}

/** Trades with their fees in native coin. */
export interface TurnoverWithFees extends Turnover {
  protocolFees: bigint
  creatorFees: bigint
}

export const makeWithFees = (): TurnoverWithFees => ({ ...makeTurnover(), protocolFees: 0n, creatorFees: 0n })

export function addWithFees(to: TurnoverWithFees, what: TurnoverWithFees): void {
  addTurnover(to, what)
  to.protocolFees += what.protocolFees
  to.creatorFees += what.creatorFees
}

/** A fee in native coin, at the rate of its trade: at most MAX_AMOUNT, as a contract may report any fee. */
export function feeInNative(
  { quoteAmount, valueNative }: Pick<Trade, 'quoteAmount' | 'valueNative'>,
  fee: bigint,
): bigint {
  if (quoteAmount === 0n || valueNative === null) return 0n
  const value = (fee * valueNative) / quoteAmount
  if (value > MAX_AMOUNT) return MAX_AMOUNT
  return value
}

/** A wallet's turnover, with the profit of its sales at average cost. */
export interface WalletTurnover extends Turnover {
  realized: bigint
  realizedUsd: bigint
}

export const PERIODS = ['total', 'h24', 'd7', 'd30'] as const
export type Period = (typeof PERIODS)[number]
export type WalletSums = Record<Period, WalletTurnover>

export const makeWalletSums = (): WalletSums => ({
  total: makeWalletTurnover(),
  h24: makeWalletTurnover(),
  d7: makeWalletTurnover(),
  d30: makeWalletTurnover(),
})

export function makeWalletTurnover(): WalletTurnover {
  return { ...makeTurnover(), realized: 0n, realizedUsd: 0n }
}

export function addWalletTurnover(to: WalletTurnover, what: WalletTurnover): void {
  addTurnover(to, what)
  to.realized += what.realized
  to.realizedUsd += what.realizedUsd
}

export function addWalletSums(to: WalletSums, what: WalletSums): void {
  for (const period of PERIODS) addWalletTurnover(to[period], what[period])
}

/** Sums of wallets that are in several of the maps are added. */
export function mergeWallets(maps: readonly ReadonlyMap<string, WalletSums>[]): ReadonlyMap<string, WalletSums> {
  const [first = new Map<string, WalletSums>(), ...others] = maps
  if (others.length === 0) return first
  const merged = new Map(first)
  for (const [wallet, sums] of others.flatMap((map) => [...map])) {
    const known = merged.get(wallet)
    merged.set(wallet, known ? sumOf(known, sums) : sums)
  }
  return merged
}

export function sumOf(a: WalletSums, b: WalletSums): WalletSums {
  const sum = makeWalletSums()
  addWalletSums(sum, a)
  addWalletSums(sum, b)
  return sum
}
