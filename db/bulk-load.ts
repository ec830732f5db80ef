// Two indexes at a time save 4 % of a backfill, and commits of them that do not wait for the disk 3 % (`npm run bench:indexer`).
import { type Kysely, sql, type Transaction } from 'kysely'
import { lockForApply, shareApplyLock } from './apply-lock.ts'
import type { Database } from './schema.ts'

/*
 * A bulk load fills the largest tables without their secondary indexes, which take two thirds of the time of an append,
 * and creates them at its end, sorted. chain_state.bulk_load records the dropped ones in the transaction that drops
 * them, so a process that is killed meanwhile leaves them to the next one.
 */

/** Usually the largest one first, whose indexes are created first: the processes that create them then end at the same time. */
const TABLES = ['trades', 'balances', 'actions', 'wallet_figures', 'token_figures']
/** Each batch reads the largest balances of its tokens, and the trades that leave the sliding windows. */
const KEPT = ['balances_holders', 'trades_position']
/** First key of the advisory locks of indexes. */
const INDEX_LOCKS = 730_833_991
/** Creating an index sorts the table in memory of this size. */
const SORT_MEMORY = '128MB'

export interface BulkLoad {
  /** Unix seconds. */
  startedAt: number
  /** The height from which it began. */
  from: number
  indexes: { name: string; definition: string }[]
}

/**
 * Drops the indexes. Primary keys and unique indexes stay: they enforce what an upsert relies on. Rejects with
 * lock_not_available (55P03) if another session keeps using the tables, such as a backup.
 */
export async function startBulkLoad(trx: Transaction<Database>, from: number): Promise<void> {
  await lockForApply(trx)
  // Readers queue behind the wait for this lock.
  await sql`set local lock_timeout = '1s'`.execute(trx)
  // The definition of a partitioned index says ON ONLY, which would create it without those of the partitions.
  const { rows } = await sql<{ name: string; definition: string }>`
    select c.relname as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
    where t.relname = any(${TABLES}::text[]) and t.relnamespace = current_schema()::regnamespace
      and not i.indisunique and c.relname <> all(${KEPT}::text[])
    order by array_position(${TABLES}::text[], t.relname::text), c.relname`.execute(trx)
  // One by one: Citus does not drop several of its tables' indexes at once.
  for (const { name } of rows) await sql`drop index ${sql.id(name)}`.execute(trx)
  const load: BulkLoad = { startedAt: Math.floor(Date.now() / 1_000), from, indexes: rows }
  await trx
    .updateTable('chain_state')
    .set({ bulk_load: JSON.stringify(load) })
    .execute()
}

interface FinishOptions {
  /** Default: on db. */
  transact?: <T>(work: (trx: Transaction<Database>) => Promise<T>) => Promise<T>
  onIndex?: ((name: string) => void) | undefined
  /**
   * Number of indexes created at a time (1): at most as many as db has connections, because waiting for one times out. Most of
   * the time of creating an index is one process's, so a second one occupies a second core.
   */
  atOnce?: number
}

/**
 * Creates the dropped indexes, each in a transaction, and ends the load. Readers go on meanwhile; writers of chain-derived rows
 * wait. Does nothing without a load. Rejects with the first error when no index is being created any more; the next call
 * continues.
 */
export async function finishBulkLoad(
  db: Kysely<Database>,
  { transact = (work) => db.transaction().execute(work), onIndex = () => {}, atOnce = 1 }: FinishOptions = {},
): Promise<void> {
  const load = await readBulkLoad(db)
  if (!load) return
  const missing = load.indexes
  const createRest = async () => {
    try {
      for (let index = missing.shift(); index; index = missing.shift()) {
        const { name, definition } = index
        if (await transact((trx) => createIndex(trx, name, definition))) onIndex(name)
      }
    } finally {
      // After an error the other one ends, too.
      missing.length = 0
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, createRest))
  for (const result of ended) if (result.status === 'rejected') throw result.reason
  await transact(endBulkLoad)
}

/** Returns false if another process, such as a migration, has created the index meanwhile. */
async function createIndex(trx: Transaction<Database>, name: string, definition: string): Promise<boolean> {
  await shareApplyLock(trx)
  await sql`select pg_advisory_xact_lock(${INDEX_LOCKS}, hashtext(${columnsOf(definition)}))`.execute(trx)
  const isMissing = (await readBulkLoad(trx))?.indexes.some((index) => index.name === name)
  if (!isMissing) return false
  await sql`set local statement_timeout = 0`.execute(trx)
  await sql`set local maintenance_work_mem = ${sql.lit(SORT_MEMORY)}`.execute(trx)
  // After a crash of the server both the index and its removal from the list exist, or neither. The end of the load is durable.
  await sql`set local synchronous_commit = off`.execute(trx)
  await sql.raw(definition).execute(trx)
  // Waits until the other index is recorded, and then removes this one from what is left.
  await sql`update chain_state set bulk_load = jsonb_set(bulk_load, '{indexes}', (
      select coalesce(jsonb_agg(one), '[]') from jsonb_array_elements(bulk_load -> 'indexes') one where one ->> 'name' <> ${name}
    ))`.execute(trx)
  return true
}

/**
 * The table and the columns of an index, after which PostgreSQL names its parts on partitions. Two indexes of the same columns that
 * are created at once get the same names, and the second one fails.
 */
const columnsOf = (definition: string): string =>
  definition
    .replace(/^.* ON (\S+) USING \w+ /, '$1 ')
    .replace(/ WHERE .*/s, '')
    .replace(/ (DESC|ASC|NULLS FIRST|NULLS LAST)/g, '')

async function endBulkLoad(trx: Transaction<Database>): Promise<void> {
  await lockForApply(trx)
  await trx.updateTable('chain_state').set({ bulk_load: null }).execute()
}

/** The load in progress; null without one. */
export async function readBulkLoad(db: Kysely<Database>): Promise<BulkLoad | null> {
  const { rows } = await sql<{ load: BulkLoad | null }>`
    select bulk_load as load from chain_state`.execute(db)
  return rows[0]?.load || null
}
