import { sql, type Transaction } from 'kysely'
import { lockForApply } from '../../db/apply-lock.ts'
import type { Db } from '../../db/client.ts'
import { listGuarded, unguard } from '../../db/guards.ts'
import { makePartitions } from '../../db/partitions.ts'
import { enqueueEvents, toChangeEvent } from '../../db/queries/outbox.ts'
import type { Database } from '../../db/schema.ts'
import { ALL_CACHE_TAGS } from '../../lib/cache/data-versions.ts'
import { RULES } from '../rules.ts'
import { readBlocks } from './blocks.ts'
import { listIndexed, selectState } from './contracts.ts'
import { openDecoders } from './decode.ts'
import type { Lease } from './lease.ts'
import type { IndexerModule } from './module.ts'
import { writeEvents } from './write-events.ts'

/** Target number of logs in a batch, as during indexing. */
const TARGET_LOGS = 20_000
const MAX_BLOCKS = 5_000

export interface Progress {
  block: number
  logs: number
  totalLogs: number
}

/**
 * Rebuilds every derived table from the stored logs with the functions that built them, without a node. It runs in one
 * transaction: readers see the old rows until it commits. Checkpoint, sync claims and user content stay. Rows that were
 * archived come back, because their logs were not. `begin` runs first in the transaction: it takes the fence of the lease, and may
 * correct what the tables are built from. Without a fence no indexer may be active. Rejects when nothing has been indexed.
 */
export async function reindex(
  db: Db,
  modules: readonly IndexerModule[],
  onProgress: (progress: Progress) => void = () => {},
  begin: (trx: Transaction<Database>) => Promise<void> = async () => {},
): Promise<Progress> {
  // Tables derived from the stored logs alone.
  const tables = [
    'archives',
    'archived_tokens',
    'archived_pairs',
    'actions',
    ...modules.flatMap(({ derived }) => derived),
  ]
  // In transactions of their own: each locks a table against its readers.
  for (const table of await listGuarded(db)) await unguard(db, table)
  const done = await db.transaction().execute(async (trx) => {
    await begin(trx)
    await lockForApply(trx)
    const state = await selectState(trx).executeTakeFirst()
    if (!state) throw new Error('Nothing has been indexed into this database yet: there are no logs to rebuild it from')
    const contracts = listIndexed(state, modules)
    const { rows } = await sql<{ logs: number }>`
      select coalesce(sum(log_count), 0)::bigint as logs from blocks`.execute(trx)
    const progress: Progress = { block: -1, logs: 0, totalLogs: rows[0]?.logs ?? 0 }

    for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(trx)
    await sql`insert into platform_figures default values`.execute(trx)
    // The sliding windows do not move: each trade counts at the clock of the last block.
    const clock = { from: state.clock_time, to: state.clock_time }
    for (;;) {
      const to = await findBatchEnd(trx, progress.block)
      if (to === null) break
      const blocks = await readBlocks(trx, { from: progress.block + 1, to })
      const decoders = await openDecoders(trx, contracts, blocks)
      // A partition may have been dropped.
      await makePartitions(trx, blocks)
      await writeEvents(trx, modules, decoders.decode(blocks), clock)
      progress.block = to
      progress.logs += blocks.reduce((sum, { logs }) => sum + logs.length, 0)
      onProgress({ ...progress })
    }
    await trx.updateTable('chain_state').set({ rules: RULES }).execute()
    await enqueueEvents(trx, [toChangeEvent(ALL_CACHE_TAGS, 'all')])
    return progress
  })
  // Remove the dead rows, and refresh the planner's statistics.
  for (const table of tables) await sql`vacuum (analyze) ${sql.table(table)}`.execute(db)
  return done
}

/** Rebuilds the derived tables if they were written by older rules. Returns whether it did. */
export async function rebuildOutdated(
  db: Db,
  modules: readonly IndexerModule[],
  log: { warn(fields: object, message: string): void },
  fence: Lease['fence'],
): Promise<boolean> {
  const state = await db.selectFrom('chain_state').select('rules').executeTakeFirst()
  if (!state || state.rules >= RULES) return false
  log.warn(
    { from: state.rules, to: RULES },
    'The derived tables were made by older rules; rebuilding them from the logs',
  )
  const { logs } = await reindex(db, modules, undefined, (trx) => fence(trx))
  log.warn({ logs }, 'The derived tables are rebuilt')
  return true
}

/** The last block of the next batch after a height; null if no more logs are stored. */
async function findBatchEnd(trx: Transaction<Database>, after: number): Promise<number | null> {
  const { rows } = await sql<{ number: number | null }>`
    select max(number)::bigint as number from (
      select number, coalesce(sum(log_count) over (order by number rows between unbounded preceding and 1 preceding), 0) as before
      from (
        select number, log_count from blocks where number > ${after} and log_count > 0 order by number limit ${MAX_BLOCKS}
      ) next
    ) counted where before < ${TARGET_LOGS}`.execute(trx)
  return rows[0]?.number ?? null
}
