import { sql, type Transaction } from 'kysely'
import type { TransferEvent } from '../../chain/token-events.ts'
import { appendRows, type BulkTarget, type Column, tableOf } from '../../db/bulk.ts'
import type { Database } from '../../db/schema.ts'
import { getTokenIds, type TokenIds } from '../../db/token-ids.ts'
import type { EventContext } from '../engine/batch.ts'
import type { Profit } from './cost-basis.ts'
import type { OfKind, PoolState, TradeEvent } from './events.ts'
import type { WindowsSwept } from './sweep-windows.ts'

/*
 * One row is appended for each event. All are new (apply has dropped the known ones), so a conflict is a bug and fails.
 */
type Located<T> = T & { at: EventContext }

const atColumns: Column<{ at: EventContext }>[] = [
  { name: 'block_number', type: 'bigint', value: ({ at }) => at.blockNumber },
  { name: 'log_index', type: 'integer', value: ({ at }) => at.logIndex },
]
const timedColumns: Column<{ at: EventContext }>[] = [
  ...atColumns,
  { name: 'block_time', type: 'bigint', value: ({ at }) => at.time },
]

const tradeColumns = (
  profits: ReadonlyMap<TradeEvent, Profit>,
  ids: ReadonlyMap<string, TokenIds>,
): BulkTarget<TradeEvent> => ({
  table: 'trades',
  columns: [
    ...timedColumns,
    { name: 'token_id', type: 'integer', value: (trade) => getTokenIds(ids, trade.token).id },
    { name: 'launchpad_id', type: 'smallint', value: (trade) => getTokenIds(ids, trade.token).launchpad },
    { name: 'quote_id', type: 'smallint', value: (trade) => getTokenIds(ids, trade.token).quote },
    { name: 'side', type: 'char', value: (trade) => trade.side },
    { name: 'venue', type: 'char', value: (trade) => trade.venue },
    { name: 'trader_known', type: 'boolean', value: (trade) => trade.traderKnown },
    { name: 'tx_hash', type: 'hex', value: ({ at }) => at.txHash },
    { name: 'trader', type: 'hex', value: (trade) => trade.trader },
    { name: 'recipient', type: 'hex', value: ({ recipient, trader }) => (recipient === trader ? null : recipient) },
    { name: 'pool', type: 'hex', value: (trade) => trade.pool },
    { name: 'token_amount', type: 'numeric', value: (trade) => trade.tokenAmount },
    { name: 'quote_amount', type: 'numeric', value: (trade) => trade.quoteAmount },
    { name: 'protocol_fee', type: 'numeric', value: (trade) => trade.protocolFee },
    { name: 'creator_fee', type: 'numeric', value: (trade) => trade.creatorFee },
    { name: 'virtual_quote', type: 'numeric', value: (trade) => trade.virtualQuote },
    { name: 'virtual_token', type: 'numeric', value: (trade) => trade.virtualToken },
    { name: 'real_quote', type: 'numeric', value: (trade) => trade.realQuote },
    { name: 'real_token', type: 'numeric', value: (trade) => trade.realToken },
    { name: 'price', type: 'float8', value: (trade) => trade.price },
    { name: 'price_usd', type: 'float8', value: (trade) => trade.priceUsd },
    { name: 'value_usd', type: 'numeric8', value: (trade) => trade.valueUsd },
    { name: 'realized', type: 'numeric', value: (trade) => profits.get(trade)?.quote ?? null },
    { name: 'realized_usd', type: 'numeric8', value: (trade) => profits.get(trade)?.usd ?? null },
    { name: 'value_native', type: 'numeric', value: (trade) => (trade.isNative ? null : (trade.valueNative ?? 0n)) },
    { name: 'rate_native', type: 'numeric', value: (trade) => trade.rateNative },
    {
      name: 'realized_native',
      type: 'numeric',
      value: (trade) => (trade.isNative ? null : (profits.get(trade)?.native ?? null)),
    },
  ],
})

const poolStates = (ids: ReadonlyMap<string, TokenIds>): BulkTarget<Located<PoolState>> => ({
  table: 'pool_states',
  columns: [
    ...atColumns,
    { name: 'token_id', type: 'integer', value: (state) => getTokenIds(ids, state.token).id },
    { name: 'pool_quote', type: 'numeric', value: (state) => state.poolQuote },
    { name: 'pool_token', type: 'numeric', value: (state) => state.poolToken },
    { name: 'price', type: 'float8', value: (state) => state.price },
    { name: 'price_usd', type: 'float8', value: (state) => state.priceUsd },
    { name: 'rate_native', type: 'numeric', value: (state) => state.rateNative },
  ],
})

const transfers = (ids: ReadonlyMap<string, TokenIds>): BulkTarget<TransferEvent & { at: EventContext }> => ({
  table: 'transfers',
  columns: [
    ...atColumns,
    { name: 'token_id', type: 'integer', value: ({ token }) => getTokenIds(ids, token).id },
    { name: 'sender', type: 'hex', value: ({ from }) => from },
    { name: 'recipient', type: 'hex', value: ({ to }) => to },
    { name: 'amount', type: 'numeric', value: ({ value }) => value },
  ],
})

/** profits: of the sales, as far as known. ids: of the tokens. */
export const insertTrades = (
  trx: Transaction<Database>,
  _swept: WindowsSwept,
  trades: readonly TradeEvent[],
  profits: ReadonlyMap<TradeEvent, Profit>,
  ids: ReadonlyMap<string, TokenIds>,
): Promise<void> => appendRows(trx, tradeColumns(profits, ids), trades)

export const insertPoolStates = (
  trx: Transaction<Database>,
  states: readonly OfKind<'pool-state'>[],
  ids: ReadonlyMap<string, TokenIds>,
): Promise<void> => appendRows(trx, poolStates(ids), states)

export const insertTransfers = (
  trx: Transaction<Database>,
  moved: readonly OfKind<'transfer'>[],
  ids: ReadonlyMap<string, TokenIds>,
): Promise<void> => appendRows(trx, transfers(ids), moved)

export async function deleteTransfers(
  trx: Transaction<Database>,
  stored: readonly OfKind<'transfer'>[],
): Promise<void> {
  await sql`delete from transfers where (block_number, log_index) in (select * from ${tableOf(atColumns, stored)})`.execute(
    trx,
  )
}
