import { sql, type Transaction } from 'kysely'
import { zeroAddress } from 'viem'
import { parseUsd } from '../../chain/amounts.ts'
import { type BulkTarget, saveRows, toArray } from '../../db/bulk.ts'
import type { Database } from '../../db/schema.ts'
import { getTokenIds, type TokenIds } from '../../db/token-ids.ts'
import { isAfter } from '../engine/batch.ts'
import { applyTradeToLot, EMPTY_LOT, type Lot, noProfit, type Profit, parseLot } from './cost-basis.ts'
import type { Deltas, Moment, PairDelta } from './deltas.ts'
import type { TradeEvent } from './events.ts'
import { type LastTrade, toLastTrade } from './last-trade.ts'
import type { NumberedPair, Pair, PairMap } from './pair-map.ts'
import { addSums, type PairSums, washVolumeOf } from './pair-sums.ts'

interface BalanceRow extends NumberedPair, PairSums {
  balance: bigint
  firstSeen: Moment
  lastTrade: LastTrade | null
  tradesH24: number
  /** Whether the quote asset of the token is the native coin. */
  isNative: boolean
  lot: Lot
  realized: Profit
  isNew: boolean
}

const target: BulkTarget<BalanceRow> & { key: string[] } = {
  table: 'balances',
  key: ['token_id', 'wallet'],
  columns: [
    { name: 'token_id', type: 'integer', value: (row) => row.tokenId },
    { name: 'wallet', type: 'hex', value: (row) => row.wallet },
    { name: 'balance', type: 'numeric', value: (row) => row.balance },
    { name: 'first_seen_block', type: 'bigint', value: (row) => row.firstSeen.block },
    { name: 'first_seen_at', type: 'bigint', value: (row) => row.firstSeen.at },
    { name: 'last_trade_block', type: 'bigint', value: (row) => row.lastTrade?.blockNumber ?? null },
    { name: 'last_trade_log', type: 'integer', value: (row) => row.lastTrade?.logIndex ?? null },
    { name: 'last_trade_at', type: 'bigint', value: (row) => row.lastTrade?.at ?? null },
    { name: 'trades_h24', type: 'integer', value: (row) => row.tradesH24 },
    { name: 'lot_tokens', type: 'numeric', value: (row) => row.lot.tokens },
    { name: 'lot_cost', type: 'numeric', value: (row) => row.lot.cost },
    { name: 'lot_cost_usd', type: 'numeric8', value: (row) => row.lot.costUsd },
    { name: 'realized', type: 'numeric', value: (row) => row.realized.quote },
    { name: 'realized_usd', type: 'numeric8', value: (row) => row.realized.usd },
    { name: 'bought', type: 'numeric', value: (row) => row.bought },
    { name: 'sold', type: 'numeric', value: (row) => row.sold },
    { name: 'spent', type: 'numeric', value: (row) => row.spent },
    { name: 'proceeds', type: 'numeric', value: (row) => row.proceeds },
    { name: 'sent', type: 'numeric', value: (row) => row.sent },
    { name: 'lot_cost_native', type: 'numeric', value: (row) => (row.isNative ? null : row.lot.costNative) },
    { name: 'realized_native', type: 'numeric', value: (row) => (row.isNative ? null : row.realized.native) },
  ],
}

/** The balances of pairs, read or computed. */
export type Balances = PairMap<BalanceRow>

/** Adds empty rows for those of the pairs that have none stored. */
export function addMissingRows(
  rows: Balances,
  { pairs }: LoadedPairs<PairDelta>,
  ids: ReadonlyMap<string, TokenIds>,
): void {
  for (const pair of pairs) {
    if (!rows.get(pair.token, pair.wallet))
      rows.set(pair.token, pair.wallet, newRow(pair, getTokenIds(ids, pair.token)))
  }
}

/**
 * Adds the pairs' deltas to their balances. Changes in the number of holders and recent traders and in the wash volume are added
 * to the tokens' deltas.
 */
export function addToBalances(rows: Balances, deltas: Deltas): void {
  for (const pair of deltas.pairs.values()) {
    const row = getRow(rows, pair.token, pair.wallet)
    const before = { holds: row.balance > 0n, trades: row.tradesH24 > 0, wash: washVolumeOf(row) }
    row.balance += pair.balance
    row.tradesH24 += pair.tradesH24
    addSums(row, pair)
    if (pair.firstSeen && pair.firstSeen.block < row.firstSeen.block) row.firstSeen = pair.firstSeen
    const token = deltas.token(pair.token)
    token.positiveBalances += Number(row.balance > 0n) - Number(before.holds)
    token.tradersH24 += Number(row.tradesH24 > 0) - Number(before.trades)
    token.washVolume += washVolumeOf(row) - before.wash
  }
}

export async function saveBalances(trx: Transaction<Database>, rows: Balances): Promise<void> {
  // Neighbours in the index are written one after another, which takes a third less time.
  await saveRows(trx, target, rows.values().sort(compareKeys), ({ isNew }) => isNew)
}

const compareKeys = (a: NumberedPair, b: NumberedPair) => a.tokenId - b.tokenId || compareTexts(a.wallet, b.wallet)
const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Applies trades, in order, to the lots of their traders. Returns the profits of the sales. A pair with a trade that arrived
 * after a later one is added to `late`: its lot has to be replayed once the trades are stored.
 */
export function applyTradesToLots(
  rows: Balances,
  trades: readonly TradeEvent[],
  late: PairMap<NumberedPair>,
): Map<TradeEvent, Profit> {
  const profits = new Map<TradeEvent, Profit>()
  for (const trade of trades) {
    const profit = applyTrade(rows, trade, late)
    if (profit) profits.set(trade, profit)
  }
  return profits
}

function applyTrade(rows: Balances, trade: TradeEvent, late: PairMap<NumberedPair>): Profit | null {
  const { token, trader: wallet } = trade
  const row = getRow(rows, token, wallet)
  if ((late.size > 0 && late.get(token, wallet)) || !isAfter(trade.at, row.lastTrade)) {
    late.set(token, wallet, { token, wallet, tokenId: row.tokenId })
    return null
  }
  row.lastTrade = toLastTrade(row.lastTrade, trade.at)
  // An unknown seller: the recipient's lot is not sold.
  if (!trade.traderKnown) return null
  const { lot, profit } = applyTradeToLot(row.lot, trade)
  row.lot = lot
  if (!profit) return null
  row.realized.quote += profit.quote
  row.realized.native += profit.native
  row.realized.usd += profit.usd
  return profit
}

function getRow(rows: Balances, token: string, wallet: string): BalanceRow {
  const row = rows.get(token, wallet)
  if (!row) throw new Error(`No balance row of ${wallet} at ${token}`)
  return row
}

function newRow(pair: PairDelta, { id: tokenId, isNative }: TokenIds): BalanceRow {
  if (!pair.firstSeen)
    throw new Error(`No balance row of ${pair.wallet} at ${pair.token}, and nothing that would make one`)
  return {
    token: pair.token,
    tokenId,
    wallet: pair.wallet,
    balance: 0n,
    firstSeen: pair.firstSeen,
    lastTrade: null,
    tradesH24: 0,
    isNative,
    lot: EMPTY_LOT,
    realized: noProfit(),
    bought: 0n,
    sold: 0n,
    sent: 0n,
    spent: 0n,
    proceeds: 0n,
    isNew: true,
  }
}

interface StoredBalance {
  token: string
  token_id: number
  wallet: string
  balance: string
  first_seen_block: number
  first_seen_at: number
  last_trade_block: number | null
  last_trade_log: number | null
  last_trade_at: number | null
  trades_h24: number
  lot_tokens: string
  lot_cost: string
  lot_cost_usd: string
  realized: string
  realized_usd: string
  bought: string
  sold: string
  spent: string
  proceeds: string
  sent: string
  lot_cost_native: string | null
  realized_native: string | null
  is_native: boolean
}

declare const isLoaded: unique symbol
/** Pairs whose stored balances were read. Only loadBalances makes it. */
export interface LoadedPairs<P extends Pair = Pair> {
  readonly pairs: readonly P[]
  readonly [isLoaded]: true
}

/** Adds the stored balances of these pairs to the rows. */
export async function loadBalances<P extends Pair>(
  trx: Transaction<Database>,
  balances: Balances,
  pairs: readonly P[],
): Promise<LoadedPairs<P>> {
  const loaded = { pairs } as LoadedPairs<P>
  if (pairs.length === 0) return loaded
  const tokens = toArray({ type: 'text', value: (pair: P) => pair.token }, pairs)
  const wallets = toArray({ type: 'hex', value: (pair: P) => pair.wallet }, pairs)
  const { rows } = await sql<StoredBalance>`
    select k.token, t.quote_token = ${zeroAddress} as is_native, b.* from unnest(${tokens}::text[], ${wallets}::bytea[]) as k (token, wallet)
    join tokens t on t.address = k.token join balances b on b.token_id = t.id and b.wallet = k.wallet`.execute(trx)
  for (const row of rows) balances.set(row.token, row.wallet, parseBalance(row))
  return loaded
}

function parseBalance(row: StoredBalance): BalanceRow {
  return {
    token: row.token,
    tokenId: row.token_id,
    wallet: row.wallet,
    balance: BigInt(row.balance),
    firstSeen: { block: row.first_seen_block, at: row.first_seen_at },
    lastTrade:
      row.last_trade_block === null
        ? null
        : { blockNumber: row.last_trade_block, logIndex: row.last_trade_log ?? 0, at: row.last_trade_at ?? 0 },
    tradesH24: row.trades_h24,
    isNative: row.is_native,
    lot: parseLot(row),
    realized: {
      quote: BigInt(row.realized),
      native: BigInt(row.realized_native ?? row.realized),
      usd: parseUsd(row.realized_usd),
    },
    bought: BigInt(row.bought),
    sold: BigInt(row.sold),
    sent: BigInt(row.sent),
    spent: BigInt(row.spent),
    proceeds: BigInt(row.proceeds),
    isNew: false,
  }
}

/** Two arrays to unnest into the pairs, as integer[] and bytea[]. */
export function pairArrays(pairs: readonly NumberedPair[]): { ids: Buffer; wallets: Buffer } {
  return {
    ids: toArray({ type: 'integer', value: (pair: NumberedPair) => pair.tokenId }, pairs),
    wallets: toArray({ type: 'hex', value: (pair: NumberedPair) => pair.wallet }, pairs),
  }
}
