import { type Kysely, sql } from 'kysely'

/*
 * Everything that is derived from the chain.
 *
 * Two kinds of tables: `blocks`, `trades`, `actions` are appended to and only ever lose rows to a reorg; `tokens`,
 * `token_figures`, `balances`, `candles`, `wallet_figures`, `platform_figures` are updated in place, once per batch and
 * key. Positions on the chain are (block_number, log_index): unique on one branch, 12 bytes, and always rising, so the
 * primary keys of what is appended grow at their right edge. Addresses and hashes are lower-case text, as served.
 *
 * Times of the chain are unix seconds in bigint columns. Hex text is collated "C": compared byte by byte, whatever the
 * database's locale.
 */
const statements = [
  sql`create extension if not exists pg_trgm`,

  // One row. The checkpoint is the last block that the indexer has applied. The clock is the time of the newest block that
  // it has seen: all sliding windows are cut there, so that every figure is a function of the chain alone.
  sql`create table chain_state (
    id boolean primary key default true check (id),
    chain_id bigint not null,
    genesis_hash text collate "C" not null,
    wrapped_native text collate "C" not null,
    launchpads jsonb not null,
    staking jsonb not null default '[]',
    raises jsonb not null default '[]',
    checkpoint_number bigint not null,
    checkpoint_hash text collate "C",
    checkpoint_time bigint not null,
    clock_time bigint not null,
    head_number bigint not null,
    head_time bigint not null,
    finalized_number bigint not null,
    quote_usd numeric(38,8),
    halted text,
    reorgs bigint not null default 0,
    updated_at timestamptz not null default now()
  )`,

  // A block that holds events of ours, or that is not final yet. logs: the raw events, packed (see the indexer).
  sql`create table blocks (
    number bigint primary key,
    hash text collate "C" not null,
    parent_hash text collate "C",
    time bigint not null,
    quote_usd numeric(38,8),
    log_count integer not null default 0,
    logs bytea
  )`,
  sql`alter table blocks alter column logs set storage external`,
  sql`create index blocks_time on blocks (time)`,

  sql`create table tokens (
    address text collate "C" primary key,
    launchpad text collate "C" not null,
    creator text collate "C" not null,
    quote_token text collate "C" not null,
    name text not null,
    symbol text not null,
    metadata_uri text not null,
    decimals smallint not null default 18,
    total_supply numeric(78,0) not null,
    initial_virtual_quote numeric(78,0) not null,
    initial_virtual_token numeric(78,0) not null,
    initial_real_token numeric(78,0) not null,
    target_quote numeric(78,0) not null,
    protocol_fee_bps integer not null,
    creator_fee_bps integer not null,
    block_number bigint not null,
    log_index integer not null,
    tx_hash text collate "C" not null,
    block_time bigint not null
  )`,
  sql`create index tokens_creator on tokens (creator, block_number desc, log_index desc)`,
  sql`create index tokens_symbol on tokens (lower(symbol) text_pattern_ops, block_number, log_index)`,
  sql`create index tokens_name on tokens (lower(name) text_pattern_ops)`,
  sql`create index tokens_search on tokens using gin ((lower(name) || ' ' || lower(symbol)) gin_trgm_ops)`,
  sql`create index tokens_position on tokens (block_number)`,

  // What changes with each trade, apart from what does not. A row may exist before its token's creation is known (a trade
  // synced ahead of the indexer): launched tells.
  sql`create table token_figures (
    token text collate "C" primary key,
    launched boolean not null default false,
    hidden boolean not null default false,
    created_block bigint not null default 0,
    created_log integer not null default 0,
    status text not null default 'curve' check (status in ('curve', 'completed', 'graduated')),
    completed_block bigint,
    completed_log integer,
    graduated_block bigint,
    graduated_log integer,
    graduated_at bigint,
    pool text collate "C",
    virtual_quote numeric(78,0) not null default 0,
    virtual_token numeric(78,0) not null default 0,
    real_quote numeric(78,0) not null default 0,
    real_token numeric(78,0) not null default 0,
    pool_quote numeric(78,0),
    pool_token numeric(78,0),
    pool_block bigint,
    pool_log integer,
    curve_block bigint,
    curve_log integer,
    progress numeric(9,6) not null default 0,
    price double precision not null default 0,
    market_cap numeric(78,0) not null default 0,
    ath_market_cap_usd double precision,
    volume_total numeric(78,0) not null default 0,
    volume_h24 numeric(78,0) not null default 0,
    volume_h1 numeric(78,0) not null default 0,
    volume_usd_h24 numeric(38,8) not null default 0,
    trades_total bigint not null default 0,
    buys_h24 bigint not null default 0,
    sells_h24 bigint not null default 0,
    traders_h24 bigint not null default 0,
    protocol_fees numeric(78,0) not null default 0,
    creator_fees numeric(78,0) not null default 0,
    creator_fees_claimed numeric(78,0) not null default 0,
    last_trade_block bigint,
    last_trade_log integer,
    last_trade_at bigint,
    trend double precision not null default '-Infinity',
    positive_balances bigint not null default 0,
    holder_count bigint not null default 0,
    top10_balance numeric(78,0) not null default 0,
    creator_balance numeric(78,0) not null default 0
  ) with (fillfactor = 70)`,
  // Each order of the token list, ready to be read from its start; what is not listed is not in them.
  sql`create index token_figures_trending on token_figures (trend desc, token) where launched and not hidden`,
  sql`create index token_figures_newest on token_figures (created_block desc, created_log desc) where launched and not hidden`,
  sql`create index token_figures_mcap on token_figures (market_cap desc, token) where launched and not hidden`,
  sql`create index token_figures_volume on token_figures (volume_h24 desc, token) where launched and not hidden`,
  sql`create index token_figures_curve on token_figures (progress desc, token)
      where launched and not hidden and status <> 'graduated'`,
  sql`create index token_figures_graduated on token_figures (graduated_block desc, graduated_log desc)
      where launched and not hidden and status = 'graduated'`,
  sql`create index token_figures_hidden on token_figures (status) where launched and hidden`,
  sql`create unique index token_figures_pool on token_figures (pool) where pool is not null`,

  // virtual_* are the reserves after the trade: the curve's virtual ones, or the pool's. Their ratio is the price.
  // realized*: what a sale earned over the average cost of what its trader had bought.
  sql`create table trades (
    block_number bigint not null,
    log_index integer not null,
    block_time bigint not null,
    tx_hash text collate "C" not null,
    token text collate "C" not null,
    trader text collate "C" not null,
    recipient text collate "C" not null,
    side text not null check (side in ('buy', 'sell')),
    venue text not null check (venue in ('curve', 'pool')),
    token_amount numeric(78,0) not null,
    quote_amount numeric(78,0) not null,
    protocol_fee numeric(78,0) not null,
    creator_fee numeric(78,0) not null,
    virtual_quote numeric(78,0) not null,
    virtual_token numeric(78,0) not null,
    real_quote numeric(78,0),
    real_token numeric(78,0),
    price double precision not null,
    price_usd double precision,
    value_usd numeric(38,8),
    realized numeric(78,0),
    realized_usd numeric(38,8),
    primary key (block_number, log_index)
  )`,
  sql`create index trades_token on trades (token, block_number desc, log_index desc)`,
  sql`create index trades_trader on trades (trader, block_number desc, log_index desc)`,
  sql`create index trades_tx_hash on trades using hash (tx_hash)`,

  // Reserves that a pool was left with by something other than a swap: liquidity added or removed, a donation.
  sql`create table pool_states (
    block_number bigint not null,
    log_index integer not null,
    token text collate "C" not null,
    pool_quote numeric(78,0) not null,
    pool_token numeric(78,0) not null,
    primary key (block_number, log_index)
  )`,
  sql`create index pool_states_token on pool_states (token, block_number desc, log_index desc)`,

  // What wallets did on the chain besides trading, of every kind; rare beside trades.
  sql`create table actions (
    block_number bigint not null,
    log_index integer not null,
    block_time bigint not null,
    tx_hash text collate "C" not null,
    type text not null,
    wallet text collate "C" not null,
    subject text collate "C" not null,
    data jsonb not null default '{}',
    primary key (block_number, log_index)
  )`,
  sql`create index actions_wallet on actions (wallet, block_number desc, log_index desc)`,
  sql`create index actions_subject on actions (subject, block_number desc, log_index desc)`,
  sql`create index actions_type on actions (type, block_number desc, log_index desc)`,
  sql`create index actions_tx_hash on actions using hash (tx_hash)`,

  // A wallet and a token: what it holds, and when it was first and last seen at it. The lot is what it has bought and not
  // sold yet, and what that cost.
  sql`create table balances (
    token text collate "C" not null,
    wallet text collate "C" not null,
    balance numeric(78,0) not null default 0,
    first_seen_block bigint not null,
    first_seen_at bigint not null,
    last_trade_block bigint,
    last_trade_log integer,
    last_trade_at bigint,
    trades_h24 integer not null default 0,
    lot_tokens numeric(78,0) not null default 0,
    lot_cost numeric(78,0) not null default 0,
    lot_cost_usd numeric(38,8) not null default 0,
    realized numeric(78,0) not null default 0,
    realized_usd numeric(38,8) not null default 0,
    primary key (token, wallet)
  ) with (fillfactor = 80)`,
  sql`create index balances_holders on balances (token, balance desc, wallet) where balance > 0`,
  sql`create index balances_wallet on balances (wallet, token) where balance > 0`,
  sql`create index balances_first_seen on balances (first_seen_block)`,

  // resolution: seconds; bucket: unix seconds of its start. The positions say which trade set open and close, so that
  // trades may be applied in any order.
  sql`create table candles (
    token text collate "C" not null,
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
    volume numeric(78,0) not null,
    volume_usd numeric(38,8) not null,
    trades integer not null,
    open_block bigint not null,
    open_log integer not null,
    close_block bigint not null,
    close_log integer not null,
    primary key (token, resolution, bucket)
  ) with (fillfactor = 90)`,

  sql`create table wallet_figures (
    wallet text collate "C" primary key,
    trades_total bigint not null default 0,
    volume_total numeric(78,0) not null default 0,
    volume_usd_total numeric(38,8) not null default 0,
    realized_total numeric(78,0) not null default 0,
    realized_usd_total numeric(38,8) not null default 0,
    trades_h24 bigint not null default 0,
    volume_h24 numeric(78,0) not null default 0,
    volume_usd_h24 numeric(38,8) not null default 0,
    realized_h24 numeric(78,0) not null default 0,
    realized_usd_h24 numeric(38,8) not null default 0,
    trades_d7 bigint not null default 0,
    volume_d7 numeric(78,0) not null default 0,
    volume_usd_d7 numeric(38,8) not null default 0,
    realized_d7 numeric(78,0) not null default 0,
    realized_usd_d7 numeric(38,8) not null default 0,
    trades_d30 bigint not null default 0,
    volume_d30 numeric(78,0) not null default 0,
    volume_usd_d30 numeric(38,8) not null default 0,
    realized_d30 numeric(78,0) not null default 0,
    realized_usd_d30 numeric(38,8) not null default 0
  ) with (fillfactor = 80)`,
  sql`create index wallet_figures_total on wallet_figures (volume_total desc, wallet) where trades_total > 0`,
  sql`create index wallet_figures_realized_total on wallet_figures (realized_total desc, wallet) where trades_total > 0`,
  sql`create index wallet_figures_h24 on wallet_figures (volume_h24 desc, wallet) where trades_h24 > 0`,
  sql`create index wallet_figures_realized_h24 on wallet_figures (realized_h24 desc, wallet) where trades_h24 > 0`,
  sql`create index wallet_figures_d7 on wallet_figures (volume_d7 desc, wallet) where trades_d7 > 0`,
  sql`create index wallet_figures_realized_d7 on wallet_figures (realized_d7 desc, wallet) where trades_d7 > 0`,
  sql`create index wallet_figures_d30 on wallet_figures (volume_d30 desc, wallet) where trades_d30 > 0`,
  sql`create index wallet_figures_realized_d30 on wallet_figures (realized_d30 desc, wallet) where trades_d30 > 0`,

  sql`create table platform_figures (
    id boolean primary key default true check (id),
    tokens_total bigint not null default 0,
    tokens_graduated bigint not null default 0,
    traders_total bigint not null default 0,
    traders_h24 bigint not null default 0,
    trades_total bigint not null default 0,
    trades_h24 bigint not null default 0,
    volume_total numeric(78,0) not null default 0,
    volume_usd_total numeric(38,8) not null default 0,
    volume_h24 numeric(78,0) not null default 0,
    volume_usd_h24 numeric(38,8) not null default 0,
    protocol_fees_total numeric(78,0) not null default 0,
    protocol_fees_h24 numeric(78,0) not null default 0,
    creator_fees_total numeric(78,0) not null default 0,
    creator_fees_h24 numeric(78,0) not null default 0
  )`,
  sql`insert into platform_figures default values`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
