import { type Kysely, type RawBuilder, sql } from 'kysely'

/*
 * The largest tables, partitioned and with small rows: a token is an integer, hashes and wallets are bytes. `up` renames
 * tables that have rows, and `convert` copies them in chunks, each in a transaction that records how far it is. So a
 * process that is killed meanwhile leaves the rest to the next start.
 */

const hexText = (column: string) => sql`'0x' || encode(${sql.ref(column)}, 'hex')`
const bytesOf = (column: string) => sql`decode(substr(${sql.ref(column)}, 3), 'hex')`

const tables = {
  // The trader is the recipient if that is null. A pool is null for the curve. b: buy, s: sell; c: curve, p: pool.
  trades: sql`create table trades (
    block_number bigint not null,
    block_time bigint not null,
    token_id integer not null,
    log_index integer not null,
    price double precision not null,
    price_usd double precision,
    launchpad_id smallint not null,
    quote_id smallint not null,
    side "char" not null check (side in ('b', 's')),
    venue "char" not null check (venue in ('c', 'p')),
    trader_known boolean not null default true,
    tx_hash bytea not null,
    trader bytea not null,
    recipient bytea,
    pool bytea,
    token_amount numeric(78,0) not null,
    quote_amount numeric(78,0) not null,
    protocol_fee numeric(78,0) not null,
    creator_fee numeric(78,0) not null,
    virtual_quote numeric(78,0) not null,
    virtual_token numeric(78,0) not null,
    real_quote numeric(78,0),
    real_token numeric(78,0),
    value_usd numeric(38,8),
    realized numeric(78,0),
    realized_usd numeric(38,8),
    primary key (token_id, block_number, log_index)
  ) partition by range (block_number)`,

  actions: sql`create table actions (
    block_number bigint not null,
    block_time bigint not null,
    log_index integer not null,
    type text not null,
    subject text collate "C" not null,
    wallet bytea not null,
    tx_hash bytea not null,
    data jsonb not null default '{}',
    primary key (subject, block_number, log_index)
  ) partition by range (block_number)`,

  candles: sql`create table candles (
    token_id integer not null,
    resolution integer not null,
    bucket bigint not null,
    open double precision not null,
    high double precision not null,
    low double precision not null,
    close double precision not null,
    open_usd double precision,
    high_usd double precision,
    low_usd double precision,
    close_usd double precision,
    open_block bigint not null,
    close_block bigint not null,
    open_log integer not null,
    close_log integer not null,
    trades integer not null,
    volume numeric(78,0) not null,
    volume_usd numeric(38,8) not null,
    primary key (token_id, resolution, bucket)
  ) partition by range (bucket)`,

  blocks: sql`create table blocks (
    number bigint not null,
    time bigint not null,
    log_count integer not null default 0,
    hash bytea not null,
    parent_hash bytea,
    quote_usd numeric(38,8),
    logs bytea,
    primary key (number)
  ) partition by range (number)`,
}
type Table = keyof typeof tables
const names = Object.keys(tables) as Table[]

const indexes: Record<Table, Record<string, RawBuilder<unknown>>> = {
  trades: {
    trades_position: sql`(block_number, log_index)`,
    trades_trader: sql`(trader, block_number desc, log_index desc)`,
    trades_tx_hash: sql`using hash (tx_hash)`,
    trades_large: sql`(block_number desc, log_index desc) where quote_amount >= 1000000000000000000`,
  },
  actions: {
    actions_position: sql`(block_number, log_index)`,
    actions_wallet: sql`(wallet, block_number desc, log_index desc)`,
    actions_type: sql`(type, block_number desc, log_index desc)`,
    actions_tx_hash: sql`using hash (tx_hash)`,
    actions_proposal: sql`((data->>'proposal'), block_number desc, log_index desc) where data->>'proposal' is not null`,
  },
  candles: {},
  blocks: { blocks_time: sql`(time)` },
}

const comments: Record<string, string> = {
  trades: 'Trade, on a curve or in a pool. Appended.',
  actions: 'On-chain action of a wallet other than a trade, such as a launch or a stake. Appended.',
  candles: 'Candle of a token in one resolution. Once per batch and bucket.',
  blocks: 'Block that has logs of indexed contracts, or is not final. Appended; logs packed and compressed.',
  contract_ids:
    'Number of a launchpad or quote asset in the rows of trades. By a trigger, with the first token of each.',
}

/** The rows as text, for psql and for comparisons. */
const views = [
  sql`create view readable_trades as
    select t.block_number, t.log_index, t.block_time, ${hexText('t.tx_hash')} as tx_hash, k.address as token,
      ${hexText('t.trader')} as trader, t.trader_known, '0x' || encode(coalesce(t.recipient, t.trader), 'hex') as recipient,
      case t.side when 'b' then 'buy' else 'sell' end as side, case t.venue when 'c' then 'curve' else 'pool' end as venue,
      ${hexText('l.address')} as launchpad, ${hexText('q.address')} as quote_token, ${hexText('t.pool')} as pool,
      t.token_amount, t.quote_amount, t.protocol_fee, t.creator_fee, t.virtual_quote, t.virtual_token, t.real_quote,
      t.real_token, t.price, t.price_usd, t.value_usd, t.realized, t.realized_usd
    from trades t left join tokens k on k.id = t.token_id left join contract_ids l on l.id = t.launchpad_id
    left join contract_ids q on q.id = t.quote_id`,
  sql`create view readable_actions as
    select block_number, log_index, block_time, ${hexText('tx_hash')} as tx_hash, type, ${hexText('wallet')} as wallet,
      subject, data
    from actions`,
  sql`create view readable_candles as
    select k.address as token, c.resolution, c.bucket, c.open, c.high, c.low, c.close, c.open_usd, c.high_usd, c.low_usd,
      c.close_usd, c.volume, c.volume_usd, c.trades, c.open_block, c.open_log, c.close_block, c.close_log
    from candles c left join tokens k on k.id = c.token_id`,
  sql`create view readable_blocks as
    select number, ${hexText('hash')} as hash, ${hexText('parent_hash')} as parent_hash, time, quote_usd, log_count,
      coalesce(length(logs), 0) as log_bytes
    from blocks`,
]

const dictionaries = [
  sql`alter table tokens add column id integer not null generated by default as identity unique`,
  sql`create table contract_ids (id smallint primary key, address bytea not null unique)`,
  // A trigger, so that no statement can forget it. Writers of tokens hold the apply lock.
  sql`create function number_contracts() returns trigger language plpgsql as $$
    begin
      insert into contract_ids (id, address)
        select (select coalesce(max(id), 0) from contract_ids) + row_number() over (order by address), address
        from (
          select ${bytesOf('launchpad')} as address from added union select ${bytesOf('quote_token')} from added
        ) named
        where not exists (select from contract_ids c where c.address = named.address);
      return null;
    end $$`,
  sql`create trigger number_contracts after insert on tokens referencing new table as added
    for each statement execute function number_contracts()`,
  sql`insert into contract_ids (id, address)
    select row_number() over (order by address), address
    from (select ${bytesOf('launchpad')} as address from tokens union select ${bytesOf('quote_token')} from tokens) named`,
]

/** Of a day's candles in a partition, so that each candle is in the partition of its trades. */
const CANDLE_WIDTH = 30 * 86_400

const partitions = [
  // Width of a partition in blocks, which never changes. The default is for a chain whose block time is unknown.
  sql`alter table chain_state add column block_partition bigint not null default 1048576`,
  // The smallest power of two of blocks that take at least 30 days.
  sql`update chain_state set block_partition = least(greatest(2 ^ ceil(log(2, 2592000 / seconds)), 65536), 67108864)
    from (
      select (max(time) - min(time))::numeric / nullif(max(number) - min(number), 0) as seconds from blocks where time > 0
      having max(number) - min(number) >= 1000
    ) known where seconds > 0`,
  // Creates the missing partitions for these heights and times, and the next ones if they end soon. A partition is
  // attached when it is complete, which blocks neither readers nor writers of the others. The caller holds the apply lock.
  sql`create function make_partitions(heights bigint[], times bigint[]) returns void language plpgsql as $$
    declare
      blocks_width bigint := coalesce((select block_partition from chain_state), 1048576);
      part record;
      child text;
    begin
      for part in
        select distinct on (w.parent, v.start) w.parent, w.options, v.start, v.start + w.width as stop
        from (values
          ('blocks', blocks_width, heights, ''), ('trades', blocks_width, heights, ''), ('actions', blocks_width, heights, ''),
          ('candles', ${sql.lit(CANDLE_WIDTH)}::bigint, times, 'with (fillfactor = 90)')
        ) as w (parent, width, given, options)
        cross join lateral (
          select x - mod(mod(x, w.width) + w.width, w.width) as start
          from (select unnest(w.given) as x union all select max(x) + w.width / 16 from unnest(w.given) x) needed
          where x is not null
        ) v
      loop
        child := part.parent || '_from_' || replace(part.start::text, '-', 'minus_');
        continue when to_regclass(child) is not null;
        execute format('create table %I (like %I including defaults including constraints including storage) %s',
          child, part.parent, part.options);
        execute format('alter table %I attach partition %I for values from (%s) to (%s)',
          part.parent, child, part.start, part.stop);
      end loop;
    end $$`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...dictionaries, ...partitions]) await statement.execute(db)
  for (const table of names) {
    const { rows } = await sql`select from ${sql.table(table)} limit 1`.execute(db)
    if (rows.length > 0) await setAside(db, table)
    else await sql`drop table ${sql.table(table)}`.execute(db)
    await tables[table].execute(db)
    if (rows.length === 0) await createIndexes(db, table)
  }
  await sql`alter table blocks alter column logs set storage external`.execute(db)
  for (const view of views) await view.execute(db)
  for (const [table, text] of Object.entries(comments))
    await sql`comment on table ${sql.table(table)} is ${sql.lit(text)}`.execute(db)
  for (const table of names)
    await sql`comment on view ${sql.id(`readable_${table}`)} is
      ${sql.lit(`Row of \`${table}\` with text instead of numbers and bytes. A view, for psql.`)}`.execute(db)
}

const oldOf = (table: string) => `first_${table}`

/** Renames a table whose rows are to be converted. Its primary key is the order of the conversion. */
async function setAside(db: Kysely<unknown>, table: Table): Promise<void> {
  await sql`create table if not exists conversions (
    table_name text primary key, converted bigint not null default 0, left_out bigint not null default 0, last jsonb)`.execute(
    db,
  )
  await sql`insert into conversions (table_name) values (${table})`.execute(db)
  const { rows } = await sql<{ name: string; is_key: boolean }>`
    select c.relname as name, i.indisprimary as is_key from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = ${table}::regclass`.execute(db)
  for (const { name, is_key } of rows) {
    if (is_key) await sql`alter index ${sql.id(name)} rename to ${sql.id(oldOf(name))}`.execute(db)
    else await sql`drop index ${sql.id(name)}`.execute(db)
  }
  await sql`alter table ${sql.table(table)} rename to ${sql.id(oldOf(table))}`.execute(db)
}

async function createIndexes(db: Kysely<unknown>, table: Table): Promise<void> {
  for (const [name, definition] of Object.entries(indexes[table]))
    await sql`create index if not exists ${sql.id(name)} on ${sql.table(table)} ${definition}`.execute(db)
}

interface Conversion {
  /** The primary key of the old table, with the types of its columns. */
  key: Record<string, string>
  /** Heights and times of the rows o of a chunk. */
  heights: RawBuilder<unknown>
  times: RawBuilder<unknown>
  /** Target columns, and their values from o. */
  columns: Record<string, RawBuilder<unknown>>
  joins: RawBuilder<unknown>
}

const same = (...columns: string[]) => Object.fromEntries(columns.map((column) => [column, sql.ref(`o.${column}`)]))
const position = { block_number: 'bigint', log_index: 'integer' }
const none = sql`null::bigint[]`

const conversions: Record<Table, Conversion> = {
  trades: {
    key: position,
    heights: sql`array_agg(distinct o.block_number)`,
    times: none,
    columns: {
      ...same('block_number', 'block_time', 'log_index', 'price', 'price_usd', 'trader_known', 'token_amount'),
      ...same('quote_amount', 'protocol_fee', 'creator_fee', 'virtual_quote', 'virtual_token', 'real_quote'),
      ...same('real_token', 'value_usd', 'realized', 'realized_usd'),
      token_id: sql`k.id`,
      launchpad_id: sql`l.id`,
      quote_id: sql`q.id`,
      side: sql`left(o.side, 1)::"char"`,
      venue: sql`left(o.venue, 1)::"char"`,
      tx_hash: bytesOf('o.tx_hash'),
      trader: bytesOf('o.trader'),
      recipient: sql`case when o.recipient <> o.trader then ${bytesOf('o.recipient')} end`,
      pool: sql`case when o.venue = 'pool' then ${bytesOf('f.pool')} end`,
    },
    joins: sql`join tokens k on k.address = o.token join contract_ids l on l.address = ${bytesOf('k.launchpad')}
      join contract_ids q on q.address = ${bytesOf('k.quote_token')} left join token_figures f on f.token = o.token`,
  },
  actions: {
    key: position,
    heights: sql`array_agg(distinct o.block_number)`,
    times: none,
    columns: {
      ...same('block_number', 'block_time', 'log_index', 'type', 'subject', 'data'),
      wallet: bytesOf('o.wallet'),
      tx_hash: bytesOf('o.tx_hash'),
    },
    joins: sql``,
  },
  candles: {
    key: { token: 'text', resolution: 'integer', bucket: 'bigint' },
    heights: none,
    times: sql`array_agg(distinct o.bucket)`,
    columns: {
      ...same('resolution', 'bucket', 'open', 'high', 'low', 'close', 'open_usd', 'high_usd', 'low_usd', 'close_usd'),
      ...same('open_block', 'close_block', 'open_log', 'close_log', 'trades', 'volume', 'volume_usd'),
      token_id: sql`k.id`,
    },
    joins: sql`join tokens k on k.address = o.token`,
  },
  blocks: {
    key: { number: 'bigint' },
    heights: sql`array_agg(distinct o.number)`,
    times: none,
    columns: {
      ...same('number', 'time', 'log_count', 'quote_usd', 'logs'),
      hash: bytesOf('o.hash'),
      parent_hash: bytesOf('o.parent_hash'),
    },
    joins: sql``,
  },
}

/** Rows of a chunk. Blocks hold their logs, so fewer of them. */
const CHUNK: Record<Table, number> = { trades: 20_000, actions: 20_000, candles: 20_000, blocks: 2_000 }
/** Key of the advisory lock that every writer of chain-derived rows takes. */
const APPLY_LOCK = 7_308_339_910

interface Options {
  onProgress?: (line: string) => void
  /** Rows of a chunk, for tests. */
  chunk?: number
}

/** Converts the rows that `up` has set aside, or the rest of them. Does nothing if there are none. */
export async function convert(db: Kysely<unknown>, { onProgress = () => {}, chunk }: Options = {}): Promise<void> {
  while (!(await isConverted(db))) {
    const line = await db.transaction().execute((trx) => convertNext(trx, chunk))
    if (line !== undefined) onProgress(line)
  }
}

/** Whether no rows are left to convert. */
export async function isConverted(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ done: boolean }>`select to_regclass('conversions') is null as done`.execute(db)
  return rows[0]?.done ?? true
}

/** One step, under the lock: the next chunk, or the end of a table, or that of all. Returns what was done. */
async function convertNext(trx: Kysely<unknown>, chunk: number | undefined): Promise<string | undefined> {
  await sql`select pg_advisory_xact_lock(${APPLY_LOCK}::bigint)`.execute(trx)
  if (await isConverted(trx)) return undefined
  const { rows } = await sql<{ table_name: Table; last: string[] | null; converted: string; left_out: string }>`
    select table_name, last, converted::text, left_out::text from conversions order by table_name limit 1`.execute(trx)
  const [state] = rows
  if (!state) {
    await sql`drop table conversions`.execute(trx)
    return undefined
  }
  const table = state.table_name
  const { key, heights, times, columns, joins } = conversions[table]
  const keys = sql.join(Object.keys(key).map((name) => sql.ref(`o.${name}`)))
  const after =
    state.last === null
      ? sql`true`
      : sql`(${keys}) > (${sql.join(Object.values(key).map((type, at) => sql`${state.last?.[at]}::${sql.raw(type)}`))})`
  const page = sql`(
    select * from ${sql.id(oldOf(table))} o where ${after} order by ${keys} limit ${chunk ?? CHUNK[table]}) o`
  const text = sql.join(Object.keys(key).map((name) => sql`${sql.ref(`o.${name}`)}::text`))
  const { rows: ends } = await sql<{ count: string; last: string[] }>`
    select count(*) over ()::text as count, array[${text}] as last from ${page}
    order by ${sql.join(Object.keys(key).map((name) => sql`${sql.ref(`o.${name}`)} desc`))} limit 1`.execute(trx)
  const [end] = ends
  if (!end) {
    await finish(trx, table)
    return `Converted all ${state.converted} rows of ${table}; ${state.left_out} of tokens that are not launched were left out`
  }
  await sql`select make_partitions(${heights}, ${times}) from ${page}`.execute(trx)
  const { numAffectedRows } = await sql`
    insert into ${sql.table(table)} (${sql.join(Object.keys(columns).map((name) => sql.ref(name)))})
    select ${sql.join(Object.values(columns))} from ${page} ${joins}`.execute(trx)
  const written = Number(numAffectedRows)
  await sql`update conversions set converted = converted + ${written}::bigint,
    left_out = left_out + ${Number(end.count) - written}::bigint, last = ${JSON.stringify(end.last)}::jsonb
    where table_name = ${table}`.execute(trx)
  return `Converted ${Number(state.converted) + written} rows of ${table}`
}

/** The old table goes, and the new one gets its indexes. */
async function finish(trx: Kysely<unknown>, table: Table): Promise<void> {
  await sql`set local maintenance_work_mem = '256MB'`.execute(trx)
  await createIndexes(trx, table)
  await sql`drop table ${sql.id(oldOf(table))}`.execute(trx)
  await sql`delete from conversions where table_name = ${table}`.execute(trx)
  await sql`analyze ${sql.table(table)}`.execute(trx)
}
