import { sql, type Transaction } from 'kysely'
import { parseUsd } from '../../chain/amounts.ts'
import { MAX_AMOUNT } from '../../chain/bounds.ts'
import type { Database } from '../../db/schema.ts'
import { type Deltas, type TokenSums, WINDOWS } from './deltas.ts'
import { addTurnover, addWalletTurnover, type Turnover, type WalletTurnover } from './turnover.ts'

interface Crossing {
  win: 'h1' | 'h24' | 'd7' | 'd30'
  token: string | null
  trader: string | null
  /** The kind of the launchpad. */
  kind: string
  buys: number
  sells: number
  /** In native coin. */
  volume: string
  /** In the quote asset; null if that is the native coin. */
  volume_quote: string | null
  volume_usd: string
  protocol_fees: string
  creator_fees: string
  realized: string
  realized_usd: string
}

declare const isSwept: unique symbol
/** Only sweepWindows makes it. Whoever inserts trades needs it: the sweep reads those that were stored before. */
export interface WindowsSwept {
  readonly [isSwept]: true
}
const SWEPT = {} as WindowsSwept

/** A fee of trades in native coin: see feeInNative. `least` ignores null. */
export const nativeFee = (column: string) =>
  sql`case when value_native is null or ${sql.ref(column)} is null then ${sql.ref(column)} when quote_amount = 0 then 0
    else least(div(${sql.ref(column)} * value_native, quote_amount), ${sql.lit(MAX_AMOUNT.toString())}::numeric) end`

/**
 * Moves the end of all sliding windows from one clock to another (unix seconds), and adds to the deltas what leaves
 * them, or returns after a reorg. A trade is inside a window while its time >= clock - length; only trades that cross
 * the edge are read.
 */
export async function sweepWindows(
  trx: Transaction<Database>,
  deltas: Deltas,
  from: number,
  to: number,
): Promise<WindowsSwept> {
  if (from === to) return SWEPT
  const sign = to > from ? -1 : 1
  const crossing = (length: number) => {
    const low = Math.min(from, to) - length
    const high = Math.max(from, to) - length
    // Trades are found by height through the index, and filtered by time: a receipt synced from an orphaned branch may
    // be above younger blocks.
    const crossed = sql`from blocks where time >= ${low} and time < ${high}`
    return sql`block_number >= (select min(number) ${crossed}) and block_number <= (select max(number) ${crossed})
      and block_time >= ${low} and block_time < ${high}`
  }
  const columns = sql`count(*) filter (where side = 'b') as buys, count(*) filter (where side = 's') as sells,
    sum(coalesce(value_native, quote_amount)) as volume, sum(quote_amount) filter (where value_native is not null) as volume_quote,
    coalesce(sum(value_usd), 0) as volume_usd,
    coalesce(sum(${nativeFee('protocol_fee')}), 0) as protocol_fees, coalesce(sum(${nativeFee('creator_fee')}), 0) as creator_fees,
    coalesce(sum(coalesce(realized_native, realized)), 0) as realized, coalesce(sum(realized_usd), 0) as realized_usd`
  // Where all trades are on one kind of launchpad, those of a wallet are one row, whatever their tokens.
  const kinds = sql`(select count(distinct kind) <> 1 as are_several, min(kind) as one from launchpad_figures where trades_total > 0)`
  const byWallet = (window: 'd7' | 'd30') => sql`
    select ${sql.lit(window)}, case when k.are_several then token_id end, trader, ${columns}
    from trades cross join ${kinds} k where ${crossing(WINDOWS[window])} group by 2, 3`
  const { rows } = await sql<Crossing>`
    select s.*, t.address as token, coalesce(t.launchpad_kind, k.one) as kind from (
      select 'h1' as win, token_id, null::bytea as trader, ${columns} from trades where ${crossing(WINDOWS.h1)} group by token_id
      union all
      select 'h24', token_id, trader, ${columns} from trades where ${crossing(WINDOWS.h24)} group by token_id, trader
      union all
      ${byWallet('d7')}
      union all
      ${byWallet('d30')}
    ) s cross join ${kinds} k left join tokens t on t.id = s.token_id`.execute(trx)
  for (const row of rows) addSwept(deltas, row, sign)
  return SWEPT
}

function addSwept(deltas: Deltas, row: Crossing, sign: 1 | -1): void {
  const factor = BigInt(sign)
  const turnover: Turnover = {
    trades: sign * (row.buys + row.sells),
    volume: factor * BigInt(row.volume),
    volumeUsd: factor * parseUsd(row.volume_usd),
  }
  const ofWallet: WalletTurnover = {
    ...turnover,
    realized: factor * BigInt(row.realized),
    realizedUsd: factor * parseUsd(row.realized_usd),
  }
  const { token, trader } = row
  if (row.win === 'h1' && token) {
    const figures = deltas.token(token)
    addTurnover(figures.h1, turnover)
    addSweptVolume(figures, 'h1', row, factor)
    figures.buysH1 += sign * row.buys
    figures.sellsH1 += sign * row.sells
  }
  if ((row.win === 'd7' || row.win === 'd30') && trader)
    addWalletTurnover(deltas.wallet(row.kind, trader)[row.win], ofWallet)
  if (row.win !== 'h24' || !token || !trader) return
  const figures = deltas.token(token)
  addTurnover(figures.h24, turnover)
  addSweptVolume(figures, 'h24', row, factor)
  figures.buysH24 += sign * row.buys
  figures.sellsH24 += sign * row.sells
  addWalletTurnover(deltas.wallet(row.kind, trader).h24, ofWallet)
  deltas.pair(token, trader).tradesH24 += turnover.trades
  const [protocolFees, creatorFees] = [factor * BigInt(row.protocol_fees), factor * BigInt(row.creator_fees)]
  deltas.addToDay(token, turnover, { protocolFees, creatorFees })
}

function addSweptVolume(figures: TokenSums, window: 'h1' | 'h24', { volume_quote }: Crossing, factor: bigint): void {
  if (volume_quote === null) return
  figures.quoteVolumes ??= { total: 0n, h1: 0n, h24: 0n }
  figures.quoteVolumes[window] += factor * BigInt(volume_quote)
}
