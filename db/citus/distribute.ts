import { type Kysely, sql, type Transaction } from 'kysely'
import { lockForApply } from '../apply-lock.ts'
import { readBulkLoad } from '../bulk-load.ts'
import type { Database } from '../schema.ts'
import { listTables, type SpreadTable } from './list-tables.ts'

export interface DistributeOptions {
  /** Parts of each table that is spread. */
  shards: number
  /** Called with one line for each table. */
  onProgress?: (line: string) => void
}

/** Why a database cannot be distributed, and what to do. */
export class DistributeError extends Error {
  override name = 'DistributeError'
}

/**
 * Spreads the tables over the nodes of Citus, as their comments say (see docs/data-model.md), and returns the names of those that it
 * has spread: the tables of a migration since the last call, or all. All rows of a token are on one node, as are those of a wallet;
 * every node has the references; other tables stay on the coordinator.
 *
 * One transaction: an interruption changes nothing. Readers go on, writers wait.
 *
 * @throws DistributeError
 */
export async function distribute(
  db: Kysely<Database>,
  { shards, onProgress = () => {} }: DistributeOptions,
): Promise<string[]> {
  await requireNodes(db)
  const spread = await db.transaction().execute(async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx)
    await sql`set local lock_timeout = 0`.execute(trx)
    // With a connection for each shard, a transaction could not touch tables of both kinds.
    await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(trx)
    await lockForApply(trx)
    if (await readBulkLoad(trx))
      throw new DistributeError(
        'A backfill is in progress, and has dropped indexes. Wait until it is done, then run this again',
      )
    const tables = await listTables(trx)
    const local = tables.filter(({ isSpread, spread }) => !isSpread && spread !== 'local')
    // All at once, so that no request holds one of them and waits for another.
    if (local.length > 0)
      await sql`lock table ${sql.join(local.map(({ name }) => sql.table(name)))} in exclusive mode`.execute(trx)
    if (local.length > 0) await sql.raw(RENEW_VIEWS).execute(trx)
    for (const table of local.filter(({ spread }) => spread === 'reference')) {
      onProgress(`${table.name}: every node has all rows`)
      await makeReference(trx, table)
    }
    // Tables with the same type of key and number of parts have the rows of one key on one node.
    await sql`select set_config('citus.shard_count', coalesce(
      (select max(shard_count) from citus_tables where citus_table_type = 'distributed'), ${shards}::bigint)::text, true)`.execute(
      trx,
    )
    for (const { name, column } of local.filter(({ spread }) => spread !== 'reference')) {
      onProgress(`${name}: spread by ${column}`)
      await sql`select create_distributed_table(${name}, ${column})`.execute(trx)
    }
    await sql.raw(SESSION_SETTINGS).execute(trx)
    return local.map(({ name }) => name)
  })
  // The coordinator keeps a copy of the rows, which nothing reads.
  for (const name of spread) await sql`select truncate_local_data_after_distributing_table(${name})`.execute(db)
  return spread
}

/** A view remembers columns that its tables had, which the workers' copies of these never had. */
const RENEW_VIEWS = `do $$ declare one regclass; begin
  for one in select oid from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'v' and relname like 'readable%'
  loop execute format('create or replace view %s as %s', one, pg_get_viewdef(one)); end loop;
end $$`

/**
 * One connection of a session to each worker: with several, a transaction could not read what it has written to another shard of the
 * worker. No JIT compilation on any node, which takes longer than the queries: the sessions of the service turn it off for
 * themselves, but not for those that Citus opens. A copy of the database does not have these settings.
 */
export const SESSION_SETTINGS = `do $$ declare failed text; begin
  -- Citus propagates such settings for some databases, and then rejects them from others than the coordinator.
  set local citus.enable_ddl_propagation = off;
  execute format('alter database %I set citus.max_adaptive_executor_pool_size = 1', current_database());
  execute format('alter database %I set citus.multi_shard_modify_mode = ''sequential''', current_database());
  execute format('alter database %I set jit = off', current_database());
  select result from run_command_on_workers(
      format('set local citus.enable_ddl_propagation = off; alter database %I set jit = off', current_database()))
    where not success limit 1 into failed;
  if failed is not null then raise exception 'A worker rejected a setting of the database: %', failed; end if;
end $$`

async function requireNodes(db: Kysely<Database>): Promise<void> {
  const { rows: extension } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  if (extension.length === 0)
    throw new DistributeError(
      'The database has no extension Citus. Run on it, on the coordinator and on every worker: create extension citus',
    )
  const { rows: nodes } = await sql<{ coordinators: number; workers: number }>`
    select count(*) filter (where groupid = 0) as coordinators, count(*) filter (where groupid <> 0) as workers
    from pg_dist_node where noderole = 'primary' and isactive`.execute(db)
  const { coordinators = 0, workers = 0 } = nodes[0] ?? {}
  if (coordinators === 0)
    throw new DistributeError(
      "The workers do not know the coordinator. Run on it: select citus_set_coordinator_host('<its host>', <its port>)",
    )
  if (workers === 0)
    throw new DistributeError("There is no worker. Run on the coordinator: select citus_add_node('<host>', <port>)")
}

/**
 * Copies the table to every node. A column that counts by itself must be 64 bits wide there; one of 32 bits gets its numbers from a
 * default of the coordinator, through which all writes go.
 */
async function makeReference(trx: Transaction<Database>, { name, identity }: SpreadTable): Promise<void> {
  if (identity !== null) {
    const sequence = `${name}_${identity}_numbers`
    const { rows } = await sql<{ last: number }>`
      select coalesce(max(${sql.ref(identity)}), 0) as last from ${sql.table(name)}`.execute(trx)
    await sql`alter table ${sql.table(name)} alter column ${sql.ref(identity)} drop identity`.execute(trx)
    await sql`create sequence ${sql.table(sequence)} as integer start ${sql.lit((rows[0]?.last ?? 0) + 1)}
      owned by ${sql.table(name)}.${sql.ref(identity)}`.execute(trx)
    await sql`alter table ${sql.table(name)} alter column ${sql.ref(identity)}
      set default nextval(${sql.lit(sequence)}::regclass)`.execute(trx)
  }
  await sql`select create_reference_table(${name})`.execute(trx)
}
