import { sql, type Transaction } from 'kysely'
import { bytes } from '../hex.ts'
import type { Database } from '../schema.ts'
import type { LogPosition } from './positions.ts'
import { letterOf } from './trade-columns.ts'

/** Selects the events of a transaction that a receipt sync can claim. */
export interface ClaimFilter {
  txHash: string
  /** The transaction's block. */
  blockNumber: number
  /** 'buy', 'sell', or the type of another action. */
  kind: string
  /** The token, or the id of a raise or pool, that an action is about. Trades are claimed together, whichever their tokens. */
  subject?: string | undefined
  /** The id of a proposal. */
  proposal?: string | undefined
}

export interface ClaimableEvent extends LogPosition {
  /** Lower-case. The actor named by the event, not the sender of the transaction. */
  wallet: string
}

/** Whether events of a kind are trades. */
export const isTrade = (kind: string): boolean => kind === 'buy' || kind === 'sell'

/** The stored events, in chain order. A sale by an unknown seller cannot be claimed; a rejected event has no row. */
export async function findClaimable(
  trx: Transaction<Database>,
  { txHash, blockNumber, kind, subject, proposal }: ClaimFilter,
): Promise<ClaimableEvent[]> {
  const isOf = sql`block_number = ${blockNumber}::bigint and tx_hash = ${bytes(txHash)}`
  const ofTrades = sql`select trader as wallet, log_index from trades
    where ${isOf} and side = ${letterOf(kind)} and trader_known`
  const ofActions = sql`select wallet, log_index from actions
    where ${isOf} and type = ${kind} ${subject === undefined ? sql`` : sql`and subject = ${subject}`}
      ${proposal === undefined ? sql`` : sql`and data->>'proposal' = ${proposal}`}`
  const { rows } = await sql<{ wallet: string; log_index: number }>`
    select wallet, log_index from (${isTrade(kind) ? ofTrades : ofActions}) e order by log_index`.execute(trx)
  return rows.map(({ wallet, log_index: logIndex }) => ({ wallet, blockNumber, logIndex }))
}

const describeClaim = ({ kind, subject, proposal }: ClaimFilter): string => {
  const about = subject ?? proposal
  return about === undefined ? kind : `${kind} ${about}`
}

/** Whether the wallet has synced these events before. */
export async function hasClaim(trx: Transaction<Database>, filter: ClaimFilter, wallet: string): Promise<boolean> {
  const claim = await trx
    .selectFrom('claims')
    .select('tx_hash')
    .where('tx_hash', '=', filter.txHash)
    .where('wallet', '=', wallet)
    .where('kind', '=', describeClaim(filter))
    .executeTakeFirst()
  return claim !== undefined
}

/**
 * Records that a wallet has synced these events. Returns false if it had done so before. A concurrent claim waits for
 * this one's transaction.
 */
export async function insertClaim(trx: Transaction<Database>, filter: ClaimFilter, wallet: string): Promise<boolean> {
  const claim = await trx
    .insertInto('claims')
    .values({ tx_hash: filter.txHash, wallet, kind: describeClaim(filter) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('tx_hash')
    .executeTakeFirst()
  return claim !== undefined
}
