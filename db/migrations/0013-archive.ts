import { type Kysely, sql } from 'kysely'

/*
 * Partitions whose rows were moved to Parquet (npm run archive), or that lost their fine candles (FINE_CANDLE_DAYS), and what
 * later figures need of archived trades.
 */

const archives = sql`
  -- first, stop: heights of trades, unix seconds of candles. A partition may have lost its fine candles before it is archived;
  -- live: its rows are in the database. location and parts: of the objects. first_time, last_time: of the archived trades.
  create table archives (
    partition text primary key,
    parent text not null check (parent in ('trades', 'candles')),
    first bigint not null,
    stop bigint not null,
    state text not null check (state in ('live', 'writing', 'archived')),
    is_thinned boolean not null default false,
    location text,
    parts jsonb not null default '[]',
    manifest_sha256 text,
    row_count bigint,
    first_time bigint,
    last_time bigint,
    changed_at timestamptz not null default now()
  );
  comment on table archives is
    'Partition that was archived, or has no fine candles. By npm run archive, and with FINE_CANDLE_DAYS; emptied by a rebuild. Spread: reference.';
`

const archivedTokens = sql`
  -- first: of the partition. Sums over its trades; positions and reserves of the last ones on the curve and in the pool.
  create table archived_tokens (
    token_id integer not null,
    first bigint not null,
    trades bigint not null,
    volume numeric(78,0) not null,
    volume_usd numeric(38,8) not null,
    protocol_fees numeric(78,0) not null,
    creator_fees numeric(78,0) not null,
    trend_sum numeric not null,
    trend_exponent integer not null,
    highest_usd double precision,
    last_block bigint not null,
    last_log integer not null,
    last_at bigint not null,
    curve_block bigint,
    curve_log integer,
    virtual_quote numeric(78,0),
    virtual_token numeric(78,0),
    real_quote numeric(78,0),
    real_token numeric(78,0),
    pool_block bigint,
    pool_log integer,
    pool_quote numeric(78,0),
    pool_token numeric(78,0),
    primary key (token_id, first)
  );
  comment on table archived_tokens is
    'Sums and last reserves of a token in an archived partition of trades. By npm run archive. Spread: by token.';
`

const archivedPairs = sql`
  -- first: of the partition. Sums over its trades; lot_*: the lot after them, with the profit of all trades until then.
  create table archived_pairs (
    token_id integer not null,
    wallet bytea not null,
    first bigint not null,
    trades bigint not null,
    volume numeric(78,0) not null,
    volume_usd numeric(38,8) not null,
    realized numeric(78,0) not null,
    realized_usd numeric(38,8) not null,
    lot_tokens numeric(78,0) not null,
    lot_cost numeric(78,0) not null,
    lot_cost_usd numeric(38,8) not null,
    lot_realized numeric(78,0) not null,
    lot_realized_usd numeric(38,8) not null,
    first_trade_at bigint not null,
    last_trade_block bigint not null,
    last_trade_log integer not null,
    last_trade_at bigint not null,
    primary key (token_id, wallet, first)
  );
  create index archived_pairs_wallet on archived_pairs (wallet, first_trade_at);
  comment on table archived_pairs is
    'Sums of a wallet with a token in an archived partition of trades, and its lot after them. By npm run archive. Spread: by token.';
`

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const part of [archives, archivedTokens, archivedPairs]) await part.execute(db)
}
