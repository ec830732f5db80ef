import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'

/*
 * Inserts rows of the largest tables, given as text, with their partitions. Columns without a value are null or have
 * their default.
 */

export type ReadableTrade = Omit<
  Insertable<Database['readable_trades']>,
  'trader_known' | 'launchpad' | 'quote_token' | 'pool'
> & { trader_known?: boolean }
export type ReadableAction = Insertable<Database['readable_actions']>
export type ReadableCandle = Insertable<Database['readable_candles']>
export type ReadableBalance = Pick<
  Insertable<Database['readable_balances']>,
  'token' | 'wallet' | 'balance' | 'first_seen_block' | 'first_seen_at'
> &
  Partial<Insertable<Database['readable_balances']>>
export type ReadableBlock = Omit<Insertable<Database['readable_blocks']>, 'log_bytes' | 'log_count'> & {
  log_count?: number
}

const bytes = (column: string) => sql`decode(substr(r.${sql.ref(column)}, 3), 'hex')`

const same = (...columns: string[]) => sql.join(columns.map((column) => sql.ref(`r.${column}`)))
const names = (...columns: string[]) => sql.join(columns.map((column) => sql.ref(column)))

function rowsOf(view: string, rows: readonly object[]): RawBuilder<unknown> {
  const json = JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  return sql`jsonb_populate_recordset(null::${sql.table(view)}, ${json}::jsonb) r`
}

async function makePartitions(db: Db, heights: readonly number[], times: readonly number[]): Promise<void> {
  await sql`select make_partitions(${heights}::bigint[], ${times}::bigint[])`.execute(db)
}

const ofTrade = [
  ...['block_number', 'log_index', 'block_time', 'token_amount', 'quote_amount', 'protocol_fee', 'creator_fee'],
  ...['virtual_quote', 'virtual_token', 'real_quote', 'real_token', 'price', 'price_usd', 'value_usd', 'realized'],
  'realized_usd',
]

/** The tokens of the trades must be stored before, and their pools in token_figures. */
export async function insertTrades(db: Db, rows: readonly ReadableTrade[]): Promise<void> {
  await makePartitions(
    db,
    rows.map((row) => row.block_number),
    [],
  )
  await sql`insert into trades (${names(...ofTrade)}, token_id, launchpad_id, quote_id, side, venue, trader_known, tx_hash,
      trader, recipient, pool)
    select ${same(...ofTrade)}, k.id, l.id, q.id, left(r.side, 1)::"char", left(r.venue, 1)::"char",
      coalesce(r.trader_known, true), ${bytes('tx_hash')}, ${bytes('trader')},
      case when r.recipient <> r.trader then ${bytes('recipient')} end,
      case when r.venue = 'pool' then f.pool end
    from ${rowsOf('readable_trades', rows)} join tokens k on k.address = r.token
    join contract_ids l on l.address = decode(substr(k.launchpad, 3), 'hex')
    join contract_ids q on q.address = decode(substr(k.quote_token, 3), 'hex')
    left join token_figures f on f.token_id = k.id`.execute(db)
}

/** The tokens must be stored before. */
export async function insertBalances(db: Db, rows: readonly ReadableBalance[]): Promise<void> {
  const plain = ['balance', 'first_seen_block', 'first_seen_at', 'last_trade_block', 'last_trade_log', 'last_trade_at']
  await sql`insert into balances (${names(...plain)}, trades_h24, token_id, wallet)
    select ${same(...plain)}, coalesce(r.trades_h24, 0), k.id, ${bytes('wallet')}
    from ${rowsOf('readable_balances', rows)} join tokens k on k.address = r.token`.execute(db)
}

export async function insertActions(db: Db, rows: readonly ReadableAction[]): Promise<void> {
  const parsed = rows.map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }))
  const columns = ['block_number', 'log_index', 'block_time', 'type', 'subject', 'data']
  await makePartitions(
    db,
    rows.map((row) => row.block_number),
    [],
  )
  await sql`insert into actions (${names(...columns)}, wallet, tx_hash)
    select ${same(...columns)}, ${bytes('wallet')}, ${bytes('tx_hash')}
    from ${rowsOf('readable_actions', parsed)}`.execute(db)
}

/** The tokens of the candles must be stored before. */
export async function insertCandles(db: Db, rows: readonly ReadableCandle[]): Promise<void> {
  const columns = [
    ...['resolution', 'bucket', 'open', 'high', 'low', 'close', 'open_usd', 'high_usd', 'low_usd', 'close_usd'],
    ...['volume', 'volume_usd', 'trades', 'open_block', 'open_log', 'close_block', 'close_log'],
  ]
  await makePartitions(
    db,
    [],
    rows.map(({ bucket }) => bucket),
  )
  await sql`insert into candles (${names(...columns)}, token_id)
    select ${same(...columns)}, k.id
    from ${rowsOf('readable_candles', rows)} join tokens k on k.address = r.token`.execute(db)
}

export async function insertBlocks(db: Db, rows: readonly ReadableBlock[]): Promise<void> {
  await makePartitions(
    db,
    rows.map(({ number }) => number),
    [],
  )
  await sql`insert into blocks (number, time, quote_usd, log_count, hash)
    select number, time, quote_usd, coalesce(log_count, 0), ${bytes('hash')}
    from ${rowsOf('readable_blocks', rows)}`.execute(db)
}

interface Multiplied {
  /** Condition of a row one. */
  like: RawBuilder<unknown>
  /** Columns that differ, as jsonb, from the number i. */
  changes: RawBuilder<unknown>
  /** Numbers: a table i. */
  numbers: RawBuilder<unknown>
}

/** Inserts a copy of a stored row for each number, in the partition of the heights around it. */
export async function multiply(
  db: Db,
  table: 'trades' | 'actions',
  { like, changes, numbers }: Multiplied,
): Promise<void> {
  await sql`insert into ${sql.table(table)} select r.* from ${sql.table(table)} first, ${numbers}
    cross join lateral jsonb_populate_record(first, ${changes}) r
    where (first.block_number, first.log_index) = (
      select one.block_number, one.log_index from ${sql.table(table)} one where ${like} limit 1)`.execute(db)
}

/** The number of a launched token, for a row that is inserted: Citus accepts no subquery there. */
export async function readTokenId(db: Db, address: string): Promise<number> {
  const { id } = await db.selectFrom('tokens').select('id').where('address', '=', address).executeTakeFirstOrThrow()
  return id
}
