import { type Kysely, sql } from 'kysely'
import type { BulkLoad } from '../bulk-load.ts'
import type { Database } from '../schema.ts'
import { writeFailure } from '../write-failure.ts'
import { heartbeatAge, leaseHolder } from './indexer-lease.ts'

/**
 * Joins the single row of chain_state as `s`; all null before the first block. limit 1 tells the planner the row count:
 * without statistics it assumes hundreds of rows, and JIT-compiles the query.
 */
export const joinChainState = sql`left join (select * from chain_state limit 1) s on true`

/** The block up to which all indexed logs are proven, of chain_state as `s`. */
export const provenNumber = sql<number>`
  least(s.checkpoint_number, coalesce(lower(s.unproven) - 1, s.checkpoint_number))`.as('proven_number')

/** Blocks from the newest final one to the head. Undefined before an indexer has started. */
export async function findFinalityDepth(db: Kysely<Database>): Promise<number | undefined> {
  const state = await db.selectFrom('chain_state').select(['head_number', 'finalized_number']).executeTakeFirst()
  return state && Math.max(0, state.head_number - state.finalized_number)
}

export interface IndexerState {
  checkpoint_number: number
  checkpoint_time: number
  halted: string | null
  bulk_load: BulkLoad | null
  /** In seconds, by the clock of the database. */
  heartbeat_age: number | null
  holder: string | null
  /** Why an indexer cannot write: see db/write-failure.ts. */
  write_failure: number | null
}

/** Undefined before an indexer has started. */
export const findIndexerState = (db: Kysely<Database>): Promise<IndexerState | undefined> =>
  db
    .selectFrom('chain_state')
    .select(['checkpoint_number', 'checkpoint_time', 'halted', heartbeatAge, leaseHolder, writeFailure])
    .select((eb) => eb.ref('bulk_load').$castTo<BulkLoad | null>().as('bulk_load'))
    .executeTakeFirst()

/** The last indexed block. Undefined before an indexer has started. */
export async function findCheckpoint(db: Kysely<Database>): Promise<number | undefined> {
  const state = await db.selectFrom('chain_state').select('checkpoint_number').executeTakeFirst()
  return state?.checkpoint_number
}
