import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'

/** Rows that are moved in one transaction. */
const CHUNK = 20_000
/** Of the advisory lock of a chunk. */
const LOCK = 730_833_993

/** Moves the rows of a table that a migration has renamed into the one that replaces it. */
export interface Move {
  /** The renamed table. It is dropped with its last row. */
  from: string
  /** Its primary key: columns of text. */
  key: readonly string[]
  /** Inserts the rows of the table expression `moved`. */
  insert: RawBuilder<unknown>
}

/**
 * Moves the rows in the order of their key, each chunk in a transaction: the second part of a migration (see LongMigration). A
 * killed process leaves the rest to the next start; several processes take turns. onProgress gets a line for each chunk.
 */
export async function moveRows(db: Kysely<unknown>, move: Move, onProgress: (line: string) => void): Promise<void> {
  const inTurn = <T>(work: (trx: Transaction<unknown>) => Promise<T>) =>
    db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx)
      return (await isMoved(trx, move)) ? null : work(trx)
    })
  const total = await inTurn((trx) => countRows(trx, move))
  if (total === null) return
  let after: Key | null = Object.fromEntries(move.key.map((column) => [column, '']))
  // Begins where the rows begin: those that are gone still take time to pass in the index.
  for (let moved = 0; after; moved += CHUNK) {
    onProgress(`${Math.min(moved, total)} of ${total} rows of ${move.from} are converted`)
    const last: Key = after
    after = await inTurn((trx) => moveChunk(trx, move, last))
  }
}

/** Values of the key's columns. */
type Key = Record<string, string>

async function countRows(trx: Transaction<unknown>, { from }: Move): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${sql.table(from)}`.execute(trx)
  return rows[0]?.total ?? 0
}

/** Moves the next rows, and returns the key of the last; drops the table if there is none. */
async function moveChunk(trx: Transaction<unknown>, { from, key, insert }: Move, after: Key): Promise<Key | null> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const descending = sql.join(key.map((column) => sql`${sql.ref(column)} desc`))
  const { rows } = await sql<Key>`
    with moved as (
      delete from ${sql.table(from)} where ctid = any(array(
        select ctid from ${sql.table(from)} where (${columns}) > (${sql.join(key.map((column) => after[column]))})
        order by ${columns} limit ${CHUNK}
      )) returning *
    ), added as (${insert})
    select ${columns} from moved order by ${descending} limit 1`.execute(trx)
  if (rows[0]) return rows[0]
  await sql`drop table ${sql.table(from)}`.execute(trx)
  return null
}

/** Whether no row is left, or the migration has not run. */
export async function isMoved(db: Kysely<unknown>, { from }: Move): Promise<boolean> {
  // Unlike to_regclass, this sees that another session has dropped it since the transaction began.
  const { rows } = await sql`
    select from pg_class where relname = ${from} and relnamespace = current_schema()::regnamespace`.execute(db)
  return rows.length === 0
}
