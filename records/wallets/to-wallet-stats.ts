import type { Static } from '@sinclair/typebox'
import { usdToNumber } from '../../chain/amounts.ts'
import type { HoldingRow } from '../../db/queries/portfolio/portfolio.ts'
import type { HeldLots } from '../../db/queries/wallets/held-lots.ts'
import type { StatsPeriod, TradingDay, WalletTotals } from '../../db/queries/wallets/wallet-stats.ts'
import type { WalletStats } from '../../schemas/wallets.ts'
import { toIso } from '../format.ts'
import { nativeQuote } from '../quote.ts'
import { profitOf, valueRow } from '../value-holding.ts'
import { toUnrealizedDays } from './to-unrealized-days.ts'

interface Read {
  wallet: string
  period: StatsPeriod
  totals: WalletTotals
  /** The first row is of the period, the others are of its days. */
  days: readonly TradingDay[]
  /** null: the wallet never traded. */
  held: HeldLots | null
  holdings: readonly HoldingRow[]
}

/** How a wallet traded in a period as the API serves it. */
export function toWalletStats({ wallet, period, totals, days, held, holdings }: Read): Static<typeof WalletStats> {
  const hasUsd = totals.native_usd !== null
  const turnover = (row: Pick<WalletTotals, 'trades' | 'volume' | 'volume_usd' | 'realized' | 'realized_usd'>) => ({
    trades: row.trades,
    volumeNative: row.volume,
    volumeUsd: hasUsd ? Number(row.volume_usd) : null,
    realizedPnl: { native: row.realized, usd: hasUsd ? Number(row.realized_usd) : null },
  })
  const [whole] = days
  const profits = holdings.map((row) => profitOf(row, valueRow(row)))
  const native = profits.reduce((sum, profit) => sum + (profit.native ?? 0n), 0n)
  const usd = profits.reduce((sum, profit) => sum + (profit.usd ?? 0n), 0n)
  return {
    wallet,
    period,
    quote: nativeQuote(totals.native_symbol),
    ...turnover(totals),
    unrealizedPnl: { native: native.toString(), usd: hasUsd ? usdToNumber(usd) : null },
    winRatePct: whole && whole.sales > 0 ? Math.round((whole.wins / whole.sales) * 1e8) / 1e6 : null,
    medianHoldSeconds: whole?.hold ?? null,
    days: days.flatMap((row) => (row.day === null ? [] : { date: toIso(row.day), ...turnover(row) })),
    unrealizedByDay: held === null ? [] : toUnrealizedDays(held, { native, usd: hasUsd ? usd : null }),
    unrealizedTruncated: held?.isTruncated ?? false,
    truncated: totals.is_archived || (whole?.trades ?? 0) < totals.trades,
  }
}
