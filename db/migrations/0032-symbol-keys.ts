import { type Kysely, sql } from 'kysely'

/*
 * Symbols are compared by a key, which is equal for symbols that look alike, instead of by their letters in lower case. Processes
 * of the version before insert launches without one, until they are replaced; every process that starts completes these. Without
 * the former index, the version before reads all tokens with each batch of launches.
 */

// One statement at a time: on Citus, they are sent as prepared statements.
const statements = [
  sql`alter table tokens add column symbol_key text collate "C"`,
  sql`comment on column tokens.symbol_key is
    'Equal for symbols that look alike. Null: stored by a version before, until the next process starts.'`,
  sql`create index tokens_symbol_key on tokens (symbol_key, block_number, log_index)`,
  sql`drop index tokens_symbol`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}

/** Tokens of a transaction: receipt syncs wait for it. */
const CHUNK = 2_000
/** Of the advisory lock of all writers of tokens. */
const LOCK = 7_308_339_910

/** Gives tokens their keys and compares them again. A killed process leaves the rest to the next start. */
export async function convert(
  db: Kysely<unknown>,
  { onProgress }: { onProgress: (line: string) => void },
): Promise<void> {
  let from = await findFirst(db)
  while (from !== null) {
    onProgress(`The symbols of tokens before number ${from} are converted`)
    from = await convertChunk(db, from)
  }
}

export async function isConverted(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql`
    select from pg_attribute where attrelid = to_regclass('tokens') and attname = 'symbol_key'`.execute(db)
  return rows.length === 0 || (await findFirst(db)) === null
}

async function findFirst(db: Kysely<unknown>): Promise<number | null> {
  const { rows } = await sql<{ first: number | null }>`
    select min(id) as first from tokens where symbol_key is null`.execute(db)
  return rows[0]?.first ?? null
}

/** Returns the number of the token after the chunk; null if there is none. */
const convertChunk = (db: Kysely<unknown>, from: number): Promise<number | null> =>
  db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(trx)
    // The statistics of the table may be older than the column.
    await sql`set local enable_seqscan = off`.execute(trx)
    // By the number alone: the new index would pass all rows without a key for each chunk.
    const { rows } = await sql<{ id: number; symbol: string }>`
      select id, symbol from tokens where id >= ${from}::integer order by id limit ${CHUNK}`.execute(trx)
    const keys = rows.map(({ symbol }) => toKey(symbol))
    await sql`
      update tokens t set symbol_key = k.key
      from unnest(${rows.map(({ id }) => id)}::integer[], ${keys}::text[]) as k (id, key)
      where t.id = k.id and t.symbol_key is null`.execute(trx)
    await sql`
      update tokens t set symbol_taken_before = not t.symbol_taken_before
      where t.symbol_key = any(${[...new Set(keys)]}::text[]) and t.symbol_taken_before <> exists (
        select from tokens o where o.symbol_key = t.symbol_key
          and (o.block_number, o.log_index) < (t.block_number, t.log_index))`.execute(trx)
    return rows.length < CHUNK ? null : rows[CHUNK - 1]!.id + 1
  })

/** The rules of db/symbol-key.ts in the version of this migration. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  A: '\u0391\u0410',
  B: '\u0392\u0412',
  C: '\u0421',
  E: '\u0395\u0415',
  F: '\u03dc',
  G: '\u050c',
  H: '\u0397\u041d',
  I: '\u0399\u0406\u04c0',
  J: '\u037f\u0408',
  K: '\u039a\u041a',
  M: '\u039c\u03fa\u041c',
  N: '\u039d',
  O: '\u039f\u041e',
  P: '\u03a1\u0420',
  S: '\u0405',
  T: '\u03a4\u0422',
  V: '\u0474',
  W: '\u051c',
  X: '\u03a7\u0425',
  Y: '\u03a5\u0423\u04ae',
  Z: '\u0396',
}
const LATIN = new Map(
  Object.entries(LOOKALIKES).flatMap(([latin, others]) => [...others].map((other) => [other, latin])),
)

function toKey(symbol: string): string {
  const visible = symbol.normalize('NFKD').replace(/[\p{Default_Ignorable_Code_Point}\p{White_Space}\u2800]/gu, '')
  const capitals = visible.toLowerCase().toUpperCase().normalize('NFKD')
  return capitals.replace(/[\u0370-\u052f]/g, (letter) => LATIN.get(letter) ?? letter)
}
