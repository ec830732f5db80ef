import { sql, type Transaction } from 'kysely'
import { lockForApply } from '../../db/apply-lock.ts'
import { spreadAs } from '../../db/citus/spread-as.ts'
import type { Db } from '../../db/client.ts'
import { transactWithLocks } from '../../db/guards.ts'
import { enqueueEvents, toChangeEvent } from '../../db/queries/outbox.ts'
import type { Database } from '../../db/schema.ts'
import { ALL_CACHE_TAGS } from '../../lib/cache/data-versions.ts'
import type { Entry } from './entries.ts'
import { PARTITIONED_BY } from './tables.ts'

/** Creates a table that can take the place of a partition, in place of an earlier attempt. */
export async function createReplacement(db: Db, { name, parent }: Pick<Entry, 'name' | 'parent'>): Promise<string> {
  const replacement = `${name}_new`
  await sql`drop table if exists ${sql.table(replacement)}`.execute(db)
  await sql`create table ${sql.table(replacement)} (like ${sql.table(parent)} including all)`.execute(db)
  await spreadAs(db, replacement, parent)
  return replacement
}

/**
 * Puts a table in the place of a partition, which is dropped, and does `also` in the same transaction, under the apply lock.
 * Readers see either.
 */
export async function swap(
  db: Db,
  { name, parent, first, stop }: Pick<Entry, 'name' | 'parent' | 'first' | 'stop'>,
  replacement: string,
  also: (trx: Transaction<Database>) => Promise<void>,
): Promise<void> {
  const [old, added, whole] = [sql.table(name), sql.table(replacement), sql.table(parent)]
  const column = sql.ref(PARTITIONED_BY[parent])
  const bounds = [sql.lit(first), sql.lit(stop)] as const
  // The constraint spares the attachment from reading rows.
  await sql`alter table ${added} add constraint in_bounds check (${column} >= ${bounds[0]} and ${column} < ${bounds[1]})`.execute(
    db,
  )
  await transactWithLocks(db, async (trx) => {
    await lockForApply(trx)
    await also(trx)
    await sql`alter table ${whole} detach partition ${old}`.execute(trx)
    await sql`drop table ${old}`.execute(trx)
    await sql`alter table ${added} rename to ${sql.ref(name)}`.execute(trx)
    await sql`alter table ${whole} attach partition ${old} for values from (${bounds[0]}) to (${bounds[1]})`.execute(
      trx,
    )
    await sql`alter table ${old} drop constraint in_bounds`.execute(trx)
    await enqueueEvents(trx, [toChangeEvent(ALL_CACHE_TAGS)])
  })
}
