import type { Static } from '@sinclair/typebox'
import { usdToNumber } from '../../chain/amounts.ts'
import { toPercent } from '../../chain/price.ts'
import type { TraderRow } from '../../db/queries/forensics/top-traders.ts'
import type { LaunchRow } from '../../db/queries/launches.ts'
import type { TopTrader } from '../../schemas/forensics.ts'
import { toIso } from '../format.ts'
import { toQuote, usdOf } from '../quote.ts'
import { profitOf, valueRow } from '../value-holding.ts'

/** A trader of a token as the API serves it. */
export function toTopTrader(row: TraderRow, launch: LaunchRow): Static<typeof TopTrader> {
  const unrealized = profitOf(row, valueRow(row))
  const isValued = row.quote === null || row.quote.native !== null
  return {
    wallet: row.wallet,
    label: row.wallet === launch.creator ? 'creator' : null,
    quote: toQuote(row),
    bought: row.bought,
    sold: row.sold,
    spent: row.spent,
    proceeds: row.proceeds,
    volume: (BigInt(row.spent) + BigInt(row.proceeds)).toString(),
    balance: row.balance,
    pct: toPercent(BigInt(row.balance), BigInt(launch.total_supply)),
    realizedPnl: {
      native: isValued ? (row.realized_native ?? row.realized) : null,
      quote: row.realized,
      usd: usdOf(row) === null ? null : Number(row.realized_usd),
    },
    unrealizedPnl: {
      native: unrealized.native?.toString() ?? null,
      quote: unrealized.quote.toString(),
      usd: unrealized.usd === null ? null : usdToNumber(unrealized.usd),
    },
    lastTradeAt: row.last_trade_at === null ? null : toIso(row.last_trade_at),
  }
}
