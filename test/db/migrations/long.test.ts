import { sql } from 'kysely'
import t from 'tap'
import type { Db } from '../../../db/client.ts'
import { type LongMigration, loadMigrations, migrateToLatest, requireCurrentSchema } from '../../../db/migrate.ts'
import { createTestDatabase } from '../../support/database.ts'

/* A migration whose second part converts rows in transactions of its own. */
const ROWS = 100
const CHUNK = 10
/** Chunks after which the process is killed. */
const LIFE = 3

const countLeft = async (db: Db) => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from samples where new is null`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

const long: LongMigration = {
  async up(db) {
    await sql`alter table samples add column new text`.execute(db)
  },
  async convert(db, { onProgress }) {
    while ((await countLeft(db)) > 0) {
      await sql`update samples set new = 'of ' || old where old in (
        select old from samples where new is null order by old limit ${CHUNK})`.execute(db)
      onProgress(`${await countLeft(db)} rows left`)
    }
  },
  async isConverted(db) {
    const { rows } =
      await sql`select from pg_attribute where attrelid = 'samples'::regclass and attname = 'new'`.execute(db)
    return rows.length === 0 || (await countLeft(db)) === 0
  },
}
const later: LongMigration = {
  async up(db) {
    await sql`alter table samples alter column new set not null, drop column old`.execute(db)
  },
}

t.test('a killed conversion continues at the next start, before later migrations', async (t) => {
  const { db } = await createTestDatabase(t)
  await sql`create table samples (old integer primary key)`.execute(db)
  await sql`insert into samples select generate_series(1, ${ROWS})`.execute(db)
  const getMigrations = async () => ({ ...(await loadMigrations()), '9998-long': long, '9999-later': later })
  await t.rejects(requireCurrentSchema(db, getMigrations), { message: /is older than this version/ })

  const lines: string[] = []
  let starts = 0
  for (; starts < ROWS; starts++) {
    let steps = 0
    const onProgress = (line: string) => {
      lines.push(line)
      steps += 1
      if (steps === LIFE) throw new Error('The process is killed')
    }
    const done = await migrateToLatest(db, getMigrations, onProgress).catch((error: Error) => error)
    if (!(done instanceof Error)) break
    t.match(done, { message: 'The process is killed' })
    if ((await countLeft(db)) > 0)
      await t.rejects(requireCurrentSchema(db, getMigrations), { message: /are being converted to a new schema/ })
  }
  t.equal(starts, Math.floor(ROWS / CHUNK / LIFE))
  t.strictSame(
    lines,
    Array.from({ length: ROWS / CHUNK }, (_, at) => `${ROWS - (at + 1) * CHUNK} rows left`),
    'no row is converted twice',
  )
  await requireCurrentSchema(db, getMigrations)
  const { rows } = await sql<{ new: string }>`select new from samples`.execute(db)
  t.equal(rows.length, ROWS)
  t.strictSame(await migrateToLatest(db, getMigrations), [], 'nothing is left to do')
})

t.test('balances and figures of wallets in text are moved into bytes, also by processes that are killed', async (t) => {
  const [tokens, holders] = [50, 1_000]
  const migrations = Object.entries(await loadMigrations())
  const { db } = await createTestDatabase(t)
  await sql`drop schema public cascade`.execute(db)
  await sql`create schema public`.execute(db)
  await migrateToLatest(db, async () => Object.fromEntries(migrations.filter(([name]) => name < '0008')))
  const wallet = sql`'0x' || lpad(to_hex(w), 40, '0')`
  await sql`insert into tokens (address, launchpad, creator, quote_token, name, symbol, metadata_uri, total_supply,
      initial_virtual_quote, initial_virtual_token, initial_real_token, target_quote, protocol_fee_bps, creator_fee_bps,
      block_number, log_index, block_time, tx_hash)
    select '0x' || md5(i::text) || '00000000', 'l', 'c', 'q', 'n', 's', 'u', 1, 1, 1, 1, 1, 1, 1, i, 0, i, 'h'
    from generate_series(1, ${tokens}::integer) i`.execute(db)
  await sql`insert into balances (token, wallet, balance, first_seen_block, first_seen_at, last_trade_log, realized)
    select address, ${wallet}, w * 10::numeric ^ 20, w, id, 3, -w
    from tokens, generate_series(1, ${holders}::integer) w`.execute(db)
  await sql`insert into wallet_figures (wallet, trades_d7, volume_usd_total)
    select ${wallet}, w, w / 8.0 from generate_series(1, ${holders}::integer) w`.execute(db)

  const lines: string[] = []
  let kills = 0
  for (;;) {
    let steps = 0
    const onProgress = (line: string) => {
      lines.push(line)
      steps += 1
      if (steps === 2) throw new Error('The process is killed')
    }
    const error = await migrateToLatest(db, loadMigrations, onProgress).then(
      () => null,
      (error: Error) => error,
    )
    if (error === null) break
    t.equal(error.message, 'The process is killed')
    kills += 1
    await t.rejects(requireCurrentSchema(db), { message: /are being converted to a new schema/ })
  }
  t.ok(kills >= 2, lines.join('\n'))
  await requireCurrentSchema(db)
  const { rows } = await sql`
    select count(*) as count, count(distinct (b.token_id, b.wallet)) as pairs, sum(balance) as balances,
      bool_and(first_seen_at = token_id and first_seen_block = -realized and last_trade_log = 3
        and balance = first_seen_block * 10::numeric ^ 20
        and wallet = decode(lpad(to_hex(first_seen_block), 40, '0'), 'hex')) as alike
    from balances b`.execute(db)
  const count = tokens * holders
  t.strictSame(rows, [
    { count, pairs: count, balances: String((tokens * holders * (holders + 1)) / 2) + '0'.repeat(20), alike: true },
  ])
  const figures = await sql`select count(*) as count, sum(volume_usd_total) as volume,
    bool_and(wallet = decode(lpad(to_hex(trades_d7), 40, '0'), 'hex')) as alike from wallet_figures`.execute(db)
  t.strictSame(figures.rows, [{ count: holders, volume: '62562.50000000', alike: true }])
})
