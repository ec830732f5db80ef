import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { type LongMigration, loadMigrations, migrateToLatest, requireCurrentSchema } from '../../db/migrate.ts'
import { createTestDatabase } from '../support/database.ts'
import { toActionRows, toFiguresRow, toTokenRow, toTradeRow } from '../support/market-rows.ts'
import { HEAD, simulateMarket, timeOf, walletAddress } from '../support/market-simulation.ts'
import { toCandleRows } from '../support/market-sums.ts'
import { optimizeWasm } from '../support/v8-flags.ts'

optimizeWasm()

/* The migration of a database with rows of the first edition, whose process is killed several times. */
const NAME = '0040-final-rows'
/** Rows of a chunk. */
const CHUNK = 40

const migrations = await loadMigrations()
const final = migrations[NAME] as LongMigration & {
  convert(db: Db, options: { onProgress: (line: string) => void; chunk: number }): Promise<void>
}
const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < NAME))
const inChunks = {
  ...migrations,
  [NAME]: { ...final, convert: (db: Db, options) => final.convert(db, { ...options, chunk: CHUNK }) } as LongMigration,
}

type Row = Record<string, unknown>
type Snapshot = Record<string, Row[]>

async function createFirstEdition(t: Test): Promise<Db> {
  const { db } = await createTestDatabase(t)
  await sql`drop schema public cascade`.execute(db)
  await sql`create schema public`.execute(db)
  await migrateToLatest(db, async () => earlier)
  return db
}

async function insert(db: Db, table: string, rows: readonly object[]): Promise<void> {
  const json = JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'bigint' || value === Number.NEGATIVE_INFINITY ? String(value) : value,
  )
  const columns = sql.join(Object.keys(rows[0]!).map((name) => sql.ref(name)))
  await sql`insert into ${sql.table(table)} (${columns}) select ${columns}
    from jsonb_populate_recordset(null::${sql.table(table)}, ${json}::jsonb)`.execute(db)
}

const hashOf = (block: number) => `0xb10c${block.toString(16).padStart(60, '0')}`

async function fillFirstEdition(db: Db): Promise<void> {
  const tokens = simulateMarket()
  const trades = tokens.flatMap((token) => token.trades).map(toTradeRow)
  await insert(db, 'tokens', tokens.map(toTokenRow))
  await insert(db, 'token_figures', tokens.map(toFiguresRow))
  await insert(
    db,
    'trades',
    trades.map((trade, index) => ({
      ...trade,
      trader_known: index % 5 > 0,
      recipient: index % 3 > 0 ? trade.trader : walletAddress(77),
      realized: index % 2 > 0 ? '12345678901234567890123' : null,
    })),
  )
  const actions = tokens.flatMap(toActionRows)
  await insert(
    db,
    'actions',
    actions.map((action) => ({ ...action, data: JSON.parse(action.data) as unknown })),
  )
  await insert(db, 'candles', tokens.flatMap(toCandleRows))
  const heights = new Set([HEAD, ...trades.map((trade) => trade.block_number)])
  await insert(
    db,
    'blocks',
    [...heights].map((number) => ({
      number,
      hash: hashOf(number),
      parent_hash: number % 2 > 0 ? hashOf(number - 1) : null,
      time: timeOf(number),
      quote_usd: number % 3 > 0 ? '3000.00000001' : null,
      log_count: number % 2,
      logs: number % 2 > 0 ? `\\x00ff${number.toString(16).padStart(8, '0')}` : null,
    })),
  )
}

/** All rows with the columns of the first edition, in the order of their keys. */
async function read(db: Db, of: (table: string) => string): Promise<Snapshot> {
  const snapshot: Snapshot = {}
  const keys = {
    trades: ['block_number', 'log_index'],
    actions: ['block_number', 'log_index'],
    candles: ['token', 'resolution', 'bucket'],
    blocks: ['number'],
    tokens: ['address'],
    token_figures: ['token'],
  }
  for (const [table, key] of Object.entries(keys)) {
    const { rows } = await sql<Row>`select * from ${sql.table(of(table))}
      order by ${sql.join(key.map((name) => sql.ref(name)))}`.execute(db)
    snapshot[table] = rows
  }
  const { rows: logs } = await sql<Row>`select number, logs from blocks where logs is not null order by number`.execute(
    db,
  )
  return { ...snapshot, logs }
}

const inNew = (table: string) => (table.startsWith('token') ? table : `readable_${table}`)

/** The rows with the columns of others only. */
const pick = (rows: readonly Row[], like: readonly Row[]): Row[] => {
  const columns = Object.keys(like[0] ?? {}).filter((column) => column !== 'logs' || 'logs' in (rows[0] ?? {}))
  return rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])))
}

function expectSame(t: Test, after: Snapshot, before: Snapshot): void {
  for (const [table, rows] of Object.entries(before)) {
    const found = pick(after[table] ?? [], rows)
    t.ok(rows.length > 20, `${rows.length} rows of ${table}`)
    t.strictSame(found, pick(rows, found), table)
  }
}

async function listIndexes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_indexdef(indexrelid) as definition from pg_index join pg_class t on t.oid = indrelid
    where t.relnamespace = current_schema()::regnamespace and not t.relispartition and t.relname not like 'kysely_%'
    order by 1`.execute(db)
  return rows.map(({ definition }) => definition)
}

t.test('a conversion that is killed goes on at the next start, and keeps every row and figure', async (t) => {
  const db = await createFirstEdition(t)
  await fillFirstEdition(db)
  const before = await read(db, (table) => table)
  let starts = 0
  const lines: string[] = []
  for (;;) {
    starts += 1
    let steps = 0
    const onProgress = (line: string) => {
      lines.push(line)
      steps += 1
      if (steps === 4) throw new Error('The process is killed')
    }
    const error = await migrateToLatest(db, async () => inChunks, onProgress).then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    if (!error) break
    t.equal(error.message, 'The process is killed')
    await t.rejects(requireCurrentSchema(db), { message: /are being converted to a new schema/ })
  }
  t.ok(starts > 5, `${starts} starts`)
  t.equal(new Set(lines).size, lines.length, 'no chunk is converted twice')
  for (const table of ['trades', 'actions', 'candles', 'blocks'])
    t.ok(
      lines.includes(
        `Converted all ${before[table]?.length} rows of ${table}; 0 of tokens that are not launched were left out`,
      ),
    )
  await requireCurrentSchema(db)
  expectSame(t, await read(db, inNew), before)

  const fresh = await createTestDatabase(t)
  t.strictSame(await listIndexes(db), await listIndexes(fresh.db))
  const { rows: left } = await sql`
    select from pg_class where relnamespace = current_schema()::regnamespace and relname ~ '^(first_|conversions)'`.execute(
    db,
  )
  t.equal(left.length, 0, 'the old tables are gone')
})

t.test('pools, launchpads and quote assets of trades are those of their tokens', async (t) => {
  const db = await createFirstEdition(t)
  await fillFirstEdition(db)
  await migrateToLatest(db)
  const { rows } = await sql<{ venue: string; count: number; wrong: number }>`
    select r.venue, count(*) as count, count(*) filter (
      where r.launchpad <> k.launchpad or r.quote_token <> k.quote_token
        or r.pool is distinct from case when r.venue = 'pool' then f.pool end) as wrong
    from readable_trades r join tokens k on k.address = r.token join token_figures f on f.token = r.token
    group by r.venue order by r.venue`.execute(db)
  t.match(rows, [
    { venue: 'curve', wrong: 0 },
    { venue: 'pool', wrong: 0 },
  ])
  t.ok(
    rows.every(({ count }) => count >= 5),
    JSON.stringify(rows),
  )
})

t.test('rows of a token that is not launched are left out, and reported', async (t) => {
  const db = await createFirstEdition(t)
  await fillFirstEdition(db)
  await sql`update trades set token = ${walletAddress(3)} where (block_number, log_index) =
    (select block_number, log_index from trades order by 1, 2 limit 1)`.execute(db)
  const { rows } = await sql`select from trades`.execute(db)
  const lines: string[] = []
  await migrateToLatest(db, loadMigrations, (line) => lines.push(line))
  t.ok(
    lines.includes(`Converted all ${rows.length - 1} rows of trades; 1 of tokens that are not launched were left out`),
  )
  t.equal((await sql`select from trades`.execute(db)).rows.length, rows.length - 1)
})

t.test('a partition takes a month of the chain that is stored, and a second writer needs no other', async (t) => {
  const db = await createFirstEdition(t)
  await fillFirstEdition(db)
  // A second for each block.
  await sql`insert into chain_state (chain_id, genesis_hash, wrapped_native, launchpads, checkpoint_number, checkpoint_time,
    clock_time, head_number, head_time, finalized_number) values (1, '0x00', '', '[]', 0, 0, 0, 0, 0, 0)`.execute(db)
  await sql`delete from blocks`.execute(db)
  await sql`insert into blocks (number, hash, time) select n, '0x00', 1700000000 + n from generate_series(1, 5000, 100) n`.execute(
    db,
  )
  await migrateToLatest(db)
  const { block_partition: width } = await db
    .selectFrom('chain_state')
    .select('block_partition')
    .executeTakeFirstOrThrow()
  t.equal(width, 2 ** 22)
  const count = async () =>
    (await sql`select from pg_class where relispartition and relkind = 'r'`.execute(db)).rows.length
  const before = await count()
  await sql`select make_partitions(array[10, 5000], array[1700000000])`.execute(db)
  t.ok((await count()) <= before + 1, 'of candles at that time')
  await sql`select make_partitions(array[${width - 5}]::bigint[], null)`.execute(db)
  t.equal(await count(), before + 4, 'the next ones of blocks, trades and actions, ahead of their first row')
})
