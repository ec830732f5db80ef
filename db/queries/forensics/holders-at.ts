import { type Kysely, type RawBuilder, sql } from 'kysely'
import { AppError } from '../../../errors.ts'
import { toBytes } from '../../hex.ts'
import type { Database } from '../../schema.ts'
import { isArchived } from '../archives.ts'
import type { HolderRow } from '../holders.ts'
import { forensicsReasons } from './read-launch.ts'

/** Logs from which the balances of an earlier block are computed, at most. */
const MAX_REPLAYED_LOGS = 20_000

interface At {
  tokenId: number
  block: number
}

/**
 * The packed logs of all later blocks in which a balance of the token may have changed. Throws HISTORY_UNKNOWN for a block above
 * the checkpoint, HISTORY_ARCHIVED and HISTORY_TOO_LONG.
 */
export async function readLaterLogs(db: Kysely<Database>, at: At): Promise<string[]> {
  const { rows } = await sql<{ checkpoint: number | null; is_archived: boolean }>`
    select (select checkpoint_number from chain_state limit 1) as checkpoint,
      exists (select from archived_tokens a
        where a.token_id = ${at.tokenId} and a.last_block > ${at.block} and ${isArchived('a')}) as is_archived`.execute(
    db,
  )
  const [{ checkpoint, is_archived } = { checkpoint: null, is_archived: false }] = rows
  if (checkpoint === null || at.block > checkpoint)
    throw new AppError(forensicsReasons.HISTORY_UNKNOWN, { block: at.block, indexed: checkpoint ?? 0 })
  if (is_archived) throw new AppError(forensicsReasons.HISTORY_ARCHIVED)
  const { rows: blocks } = await buildLaterBlocks(at).execute(db)
  if (blocks.length > MAX_REPLAYED_LOGS) throw new AppError(forensicsReasons.HISTORY_TOO_LONG)
  const numbers = blocks.map(({ number }) => number)
  const { rows: sums } = await sql<{ logs: number }>`
    select coalesce(sum(log_count), 0)::bigint as logs from blocks where number = any(${numbers}::bigint[])`.execute(db)
  if ((sums[0]?.logs ?? 0) > MAX_REPLAYED_LOGS) throw new AppError(forensicsReasons.HISTORY_TOO_LONG)
  const { rows: packed } = await sql<{ logs: string }>`
    select logs from blocks where number = any(${numbers}::bigint[]) and logs is not null`.execute(db)
  return packed.map(({ logs }) => logs)
}

/** The blocks after one with a trade or a transfer of the token, exported to test its plan: one more than may be read, at most. */
export const buildLaterBlocks = ({ tokenId, block }: At): RawBuilder<{ number: number }> => {
  const after = (table: 'trades' | 'transfers') => sql`
    (select distinct block_number as number from ${sql.table(table)} where token_id = ${tokenId} and block_number > ${block}
      order by 1 limit ${sql.lit(MAX_REPLAYED_LOGS)} + 1)`
  return sql<{ number: number }>`
    select number from (${after('trades')} union ${after('transfers')}) later
    limit ${sql.lit(MAX_REPLAYED_LOGS)} + 1`
}

/** The stored balances of these wallets. */
export async function findBalances(
  db: Kysely<Database>,
  tokenId: number,
  wallets: readonly string[],
): Promise<HolderRow[]> {
  const { rows } = await sql<HolderRow>`
    select wallet, balance, first_seen_at, last_trade_at from balances
    where token_id = ${tokenId} and wallet = any(${wallets.map(toBytes)}::bytea[])`.execute(db)
  return rows
}
