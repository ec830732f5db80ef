import { sql, type Transaction } from 'kysely'
import { formatUsd, parseUsd } from '../../chain/amounts.ts'
import type { Side } from '../../chain/events.ts'
import { columnToBytes } from '../../db/hex.ts'
import { sideOf } from '../../db/queries/trade-columns.ts'
import type { Database } from '../../db/schema.ts'
import { applyTradeToLot, EMPTY_LOT, type Profit } from './cost-basis.ts'
import type { Deltas } from './deltas.ts'
import type { Pair } from './pair-map.ts'
import { pairArrays } from './store-balances.ts'

interface TradeRow extends Pair {
  block_number: number
  log_index: number
  block_time: number
  token_id: number
  side: Side
  trader_known: boolean
  token_amount: string
  quote_amount: string
  value_usd: string | null
  realized: string | null
  realized_usd: string | null
}

/**
 * Replays all trades of the pairs through their lots, in order, after late or undone trades. Where a sale's profit
 * changes, the trade is updated and the difference added to the trader's deltas. clock: end of the windows.
 */
export async function restoreLots(
  trx: Transaction<Database>,
  pairs: readonly Pair[],
  deltas: Deltas,
  clock: number,
): Promise<void> {
  if (pairs.length === 0) return
  const { tokens, wallets } = pairArrays(pairs)
  const { rows } = await sql<TradeRow>`
    select k.wallet, k.token, t.token_id, t.block_number, t.log_index, t.block_time, ${sideOf('t')} as side, t.trader_known,
      t.token_amount, t.quote_amount, t.value_usd, t.realized, t.realized_usd
    from unnest(${tokens}::text[], ${wallets}::text[]) as k (token, wallet)
    join tokens n on n.address = k.token
    join trades t on t.trader = ${columnToBytes('k.wallet')} and t.token_id = n.id
    order by t.block_number, t.log_index`.execute(trx)
  const pairKey = ({ token, wallet }: Pair) => `${token}${wallet}`
  const trades = Map.groupBy(rows, pairKey)
  const changed: { row: TradeRow; profit: Profit }[] = []
  const rebuilt = pairs.map((pair) => replayTrades(pair, trades.get(pairKey(pair)) ?? [], changed))
  for (const { row, profit } of changed) {
    deltas.addProfit(row.wallet, row.block_time, profit, clock, 1)
    const before = { native: BigInt(row.realized ?? 0), usd: parseUsd(row.realized_usd ?? '0') }
    deltas.addProfit(row.wallet, row.block_time, before, clock, -1)
  }
  await updateTrades(trx, changed)
  await updateLots(trx, rebuilt)
}

type ReplayedLot = ReturnType<typeof replayTrades>

function replayTrades(pair: Pair, trades: readonly TradeRow[], changed: { row: TradeRow; profit: Profit }[]) {
  let lot = EMPTY_LOT
  const realized = { native: 0n, usd: 0n }
  for (const row of trades) {
    if (!row.trader_known) continue
    const rebuilt = applyTradeToLot(lot, {
      side: row.side,
      tokenAmount: BigInt(row.token_amount),
      quoteAmount: BigInt(row.quote_amount),
      valueUsd: row.value_usd === null ? null : parseUsd(row.value_usd),
    })
    lot = rebuilt.lot
    const { profit } = rebuilt
    if (!profit) continue
    realized.native += profit.native
    realized.usd += profit.usd
    const isSame = row.realized === String(profit.native) && parseUsd(row.realized_usd ?? '0') === profit.usd
    if (!isSame) changed.push({ row, profit })
  }
  return { pair, lot, realized, last: trades.at(-1) }
}

async function updateTrades(
  trx: Transaction<Database>,
  changed: readonly { row: TradeRow; profit: Profit }[],
): Promise<void> {
  for (const { row, profit } of changed) {
    await trx
      .updateTable('trades')
      .set({ realized: profit.native, realized_usd: formatUsd(profit.usd) })
      .where('token_id', '=', row.token_id)
      .where('block_number', '=', row.block_number)
      .where('log_index', '=', row.log_index)
      .execute()
  }
}

async function updateLots(trx: Transaction<Database>, rebuilt: readonly ReplayedLot[]): Promise<void> {
  for (const { pair, lot, realized, last } of rebuilt) {
    await trx
      .updateTable('balances')
      .set({
        lot_tokens: lot.tokens,
        lot_cost: lot.cost,
        lot_cost_usd: formatUsd(lot.costUsd),
        realized: realized.native,
        realized_usd: formatUsd(realized.usd),
        last_trade_block: last?.block_number ?? null,
        last_trade_log: last?.log_index ?? null,
        last_trade_at: last?.block_time ?? null,
      })
      .where('token', '=', pair.token)
      .where('wallet', '=', pair.wallet)
      .execute()
  }
}

/** Subtracts the profits of the trades from a height on from their traders' deltas, before the trades are deleted. */
export async function undoProfits(
  trx: Transaction<Database>,
  from: number,
  deltas: Deltas,
  clock: number,
): Promise<void> {
  const { rows } = await sql<{ trader: string; block_time: number; realized: string; realized_usd: string | null }>`
    select trader, block_time, realized, realized_usd from trades
    where block_number >= ${from} and realized is not null`.execute(trx)
  for (const { trader, block_time, realized, realized_usd } of rows) {
    const profit = { native: BigInt(realized), usd: parseUsd(realized_usd ?? '0') }
    deltas.addProfit(trader, block_time, profit, clock, -1)
  }
}
