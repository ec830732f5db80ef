import { sql, type Transaction } from 'kysely'
import { zeroAddress } from 'viem'
import { parseUsd } from '../../chain/amounts.ts'
import { type BulkTarget, updateRows } from '../../db/bulk.ts'
import { isArchived } from '../../db/queries/archives.ts'
import { sideOf } from '../../db/queries/trade-columns.ts'
import type { Database } from '../../db/schema.ts'
import type { Side } from '../../launchpads/launchpad.ts'
import { applyTradeToLot, EMPTY_LOT, type Lot, noProfit, type Profit, parseLot } from './cost-basis.ts'
import type { Deltas } from './deltas.ts'
import type { LastTrade } from './last-trade.ts'
import { type NumberedPair, PairMap } from './pair-map.ts'
import { pairArrays } from './store-balances.ts'

/** Trades read at a time: a wallet may have made millions. */
const PAGE = 20_000

interface TradeRow {
  wallet: string
  block_number: number
  log_index: number
  block_time: number
  token_id: number
  side: Side
  trader_known: boolean
  token_amount: string
  quote_amount: string
  value_usd: string | null
  /** null: the quote asset is the native coin. */
  value_native: string | null
  realized: string | null
  realized_usd: string | null
  realized_native: string | null
}

interface Replayed extends NumberedPair {
  /** The kind of the token's launchpad. */
  kind: string
  isNative: boolean
  lot: Lot
  realized: Profit
  last: LastTrade | null
  /** Where its replay begins: the trades below are archived. */
  from: number
}

interface ChangedTrade {
  row: TradeRow
  profit: Profit
}

const changedTrades: BulkTarget<ChangedTrade> & { key: string[] } = {
  table: 'trades',
  key: ['token_id', 'block_number', 'log_index'],
  columns: [
    { name: 'token_id', type: 'integer', value: ({ row }) => row.token_id },
    { name: 'block_number', type: 'bigint', value: ({ row }) => row.block_number },
    { name: 'log_index', type: 'integer', value: ({ row }) => row.log_index },
    { name: 'realized', type: 'numeric', value: ({ profit }) => profit.quote },
    { name: 'realized_usd', type: 'numeric8', value: ({ profit }) => profit.usd },
    {
      name: 'realized_native',
      type: 'numeric',
      value: ({ row, profit }) => (row.value_native === null ? null : profit.native),
    },
  ],
}

const lots: BulkTarget<Replayed> & { key: string[] } = {
  table: 'balances',
  key: ['token_id', 'wallet'],
  columns: [
    { name: 'token_id', type: 'integer', value: ({ tokenId }) => tokenId },
    { name: 'wallet', type: 'hex', value: ({ wallet }) => wallet },
    { name: 'lot_tokens', type: 'numeric', value: ({ lot }) => lot.tokens },
    { name: 'lot_cost', type: 'numeric', value: ({ lot }) => lot.cost },
    { name: 'lot_cost_usd', type: 'numeric8', value: ({ lot }) => lot.costUsd },
    { name: 'lot_cost_native', type: 'numeric', value: ({ isNative, lot }) => (isNative ? null : lot.costNative) },
    { name: 'realized', type: 'numeric', value: ({ realized }) => realized.quote },
    { name: 'realized_usd', type: 'numeric8', value: ({ realized }) => realized.usd },
    {
      name: 'realized_native',
      type: 'numeric',
      value: ({ isNative, realized }) => (isNative ? null : realized.native),
    },
    { name: 'last_trade_block', type: 'bigint', value: ({ last }) => last?.blockNumber ?? null },
    { name: 'last_trade_log', type: 'integer', value: ({ last }) => last?.logIndex ?? null },
    { name: 'last_trade_at', type: 'bigint', value: ({ last }) => last?.at ?? null },
  ],
}

/**
 * Replays all trades of the pairs through their lots, in order, after late or undone trades. Where a sale's profit
 * changes, the trade is updated and the difference added to the trader's deltas. clock: end of the windows.
 */
export async function restoreLots(
  trx: Transaction<Database>,
  pairs: readonly NumberedPair[],
  deltas: Deltas,
  clock: number,
  page = PAGE,
): Promise<void> {
  if (pairs.length === 0) return
  const replayed = new PairMap<Replayed>()
  const known = await readTokens(trx, pairs)
  const tokens = new Map(pairs.map(({ tokenId, token }) => [tokenId, token]))
  for (const pair of pairs) {
    const token = known.get(pair.tokenId)
    // Its launch is undone, and so are its trades.
    if (token === undefined) continue
    replayed.set(pair.token, pair.wallet, {
      ...{ ...pair, ...token, lot: EMPTY_LOT, realized: noProfit(), last: null, from: 0 },
    })
  }
  await loadArchivedLots(trx, pairs, (tokenId, wallet) => replayed.get(tokens.get(tokenId)!, wallet)!)
  for await (const rows of readTrades(trx, pairs, page)) {
    const changed: ChangedTrade[] = []
    for (const row of rows) {
      const pair = replayed.get(tokens.get(row.token_id)!, row.wallet)!
      const profit = row.block_number < pair.from ? undefined : replayTrade(pair, row)
      if (!profit) continue
      changed.push({ row, profit })
      deltas.addProfit(pair.kind, row.wallet, row.block_time, profit, clock, 1)
      deltas.addProfit(pair.kind, row.wallet, row.block_time, storedProfit(row), clock, -1)
    }
    await updateRows(trx, changedTrades, changed)
  }
  await updateRows(trx, lots, replayed.values())
}

/** The tokens of the pairs, by number. */
async function readTokens(
  trx: Transaction<Database>,
  pairs: readonly NumberedPair[],
): Promise<ReadonlyMap<number, Pick<Replayed, 'kind' | 'isNative'>>> {
  const ids = [...new Set(pairs.map(({ tokenId }) => tokenId))]
  const { rows } = await sql<Pick<Replayed, 'kind' | 'isNative'> & { id: number }>`
    select id, launchpad_kind as kind, quote_token = ${zeroAddress} as "isNative" from tokens
    where id = any(${ids}::integer[])`.execute(trx)
  return new Map(rows.map(({ id, ...token }) => [id, token]))
}

interface ArchivedLotRow {
  token_id: number
  wallet: string
  stop: number
  lot_tokens: string
  lot_cost: string
  lot_cost_usd: string
  lot_realized: string
  lot_realized_usd: string
  lot_cost_native: string | null
  lot_realized_native: string | null
  last_trade_block: number
  last_trade_log: number
  last_trade_at: number
}

/** Starts the replay of each pair after its newest archived trade. */
async function loadArchivedLots(
  trx: Transaction<Database>,
  pairs: readonly NumberedPair[],
  find: (tokenId: number, wallet: string) => Replayed,
): Promise<void> {
  const { ids, wallets } = pairArrays(pairs)
  const { rows } = await sql<ArchivedLotRow>`
    select distinct on (p.token_id, p.wallet) p.*, r.stop
    from unnest(${ids}::integer[], ${wallets}::bytea[]) as k (token_id, wallet)
    join archived_pairs p on p.token_id = k.token_id and p.wallet = k.wallet and ${isArchived('p')}
    join archives r on r.parent = 'trades' and r.first = p.first
    order by p.token_id, p.wallet, p.first desc`.execute(trx)
  for (const row of rows) {
    const pair = find(row.token_id, row.wallet)
    pair.lot = parseLot(row)
    pair.realized = {
      quote: BigInt(row.lot_realized),
      native: BigInt(row.lot_realized_native ?? row.lot_realized),
      usd: parseUsd(row.lot_realized_usd),
    }
    pair.last = { blockNumber: row.last_trade_block, logIndex: row.last_trade_log, at: row.last_trade_at }
    pair.from = row.stop
  }
}

/** The trades of the pairs in chain order, page by page. */
async function* readTrades(
  trx: Transaction<Database>,
  pairs: readonly NumberedPair[],
  page: number,
): AsyncGenerator<readonly TradeRow[]> {
  const { ids, wallets } = pairArrays(pairs)
  // It does not see the updates between its pages. An error ends it with the transaction.
  await sql`
    declare replayed_trades no scroll cursor for
    select t.trader as wallet, t.token_id, t.block_number, t.log_index, t.block_time, ${sideOf('t')} as side, t.trader_known,
      t.token_amount, t.quote_amount, t.value_usd, t.value_native, t.realized, t.realized_usd, t.realized_native
    from unnest(${ids}::integer[], ${wallets}::bytea[]) as k (token_id, wallet)
    join trades t on t.trader = k.wallet and t.token_id = k.token_id
    order by t.block_number, t.log_index`.execute(trx)
  for (;;) {
    const { rows } = await sql<TradeRow>`fetch forward ${sql.lit(page)} from replayed_trades`.execute(trx)
    if (rows.length > 0) yield rows
    if (rows.length < page) break
  }
  await sql`close replayed_trades`.execute(trx)
}

/** Applies a trade to its pair. Returns the profit of a sale if it differs from the stored one. */
function replayTrade(pair: Replayed, row: TradeRow): Profit | undefined {
  pair.last = { blockNumber: row.block_number, logIndex: row.log_index, at: row.block_time }
  // An unknown seller: the recipient's lot is not sold.
  if (!row.trader_known) return undefined
  const { lot, profit } = applyTradeToLot(pair.lot, {
    side: row.side,
    tokenAmount: BigInt(row.token_amount),
    quoteAmount: BigInt(row.quote_amount),
    isNative: row.value_native === null,
    valueNative: BigInt(row.value_native ?? row.quote_amount),
    valueUsd: row.value_usd === null ? null : parseUsd(row.value_usd),
  })
  pair.lot = lot
  if (!profit) return undefined
  pair.realized.quote += profit.quote
  pair.realized.native += profit.native
  pair.realized.usd += profit.usd
  const stored = storedProfit(row)
  const isSame = row.realized !== null && isEqual(stored, profit)
  return isSame ? undefined : profit
}

const storedProfit = ({
  realized,
  realized_usd,
  realized_native,
}: Pick<TradeRow, 'realized' | 'realized_usd' | 'realized_native'>): Profit => ({
  quote: BigInt(realized ?? 0),
  native: BigInt(realized_native ?? realized ?? 0),
  usd: parseUsd(realized_usd ?? '0'),
})

const isEqual = (a: Profit, b: Profit): boolean => a.quote === b.quote && a.native === b.native && a.usd === b.usd

/** Subtracts the profits of the trades from a height on from their traders' deltas, before the trades are deleted. */
export async function undoProfits(
  trx: Transaction<Database>,
  from: number,
  deltas: Deltas,
  clock: number,
): Promise<void> {
  const { rows } = await sql<
    Pick<TradeRow, 'wallet' | 'block_time' | 'realized' | 'realized_usd' | 'realized_native'> & { kind: string }
  >`
    select e.trader as wallet, t.launchpad_kind as kind, e.block_time, e.realized, e.realized_usd, e.realized_native
    from trades e join tokens t on t.id = e.token_id
    where e.block_number >= ${from} and e.realized is not null`.execute(trx)
  for (const row of rows) deltas.addProfit(row.kind, row.wallet, row.block_time, storedProfit(row), clock, -1)
}
