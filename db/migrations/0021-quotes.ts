import { type Kysely, sql } from 'kysely'

/*
 * Assets in which tokens are priced. Amounts of a token are in base units of its quote asset; what is summed over tokens is in
 * base units of the native coin.
 *
 * In rows of a token whose quote asset is the native coin, the columns of this migration are null: both are the same.
 */

const quotes = sql`
  -- id: as in contract_ids. route: see QUOTES. since_block: launches from this block on count. usd: of one whole unit, at the
  -- checkpoint. native: native coin for one whole unit, with 36 decimals.
  create table quotes (
    id smallint primary key,
    address text collate "C" not null unique,
    symbol text not null,
    decimals smallint not null,
    route jsonb not null,
    since_block bigint not null,
    usd numeric(38,8),
    native numeric(78,0)
  );
  comment on table quotes is
    'Asset besides the native coin in which tokens are priced. From QUOTES; its prices once per batch. Spread: reference.';

  alter table blocks add column quote_prices text;
  comment on column blocks.quote_prices is 'Prices that were read for QUOTES, by address, as JSON; null: none.';
`

const tokens = sql`
  alter table tokens add column quote_decimals smallint not null default 18, add column rate_native numeric(78,0);
  comment on column tokens.rate_native is
    'Native coin for one whole unit of the quote asset at the launch, with 36 decimals. Null: unknown, or the native coin.';

  alter table token_figures add column rate_native numeric(78,0),
    add column volume_quote_total numeric(78,0), add column volume_quote_h24 numeric(78,0),
    add column volume_quote_h1 numeric(78,0);

  create or replace view readable_token_figures as
    select k.address as token, f.token_id, f.hidden, f.created_block, f.created_log, f.status, f.completed_block, f.completed_log,
      f.graduated_block, f.graduated_log, f.graduated_at, '0x' || encode(f.pool, 'hex') as pool, f.virtual_quote,
      f.virtual_token, f.real_quote, f.real_token, f.pool_quote, f.pool_token, f.pool_block, f.pool_log, f.curve_block, f.curve_log, f.progress, f.price, f.market_cap,
      f.ath_market_cap_usd, f.volume_total, f.volume_h24, f.volume_h1, f.volume_usd_h24, f.trades_total, f.buys_h24, f.sells_h24,
      f.traders_h24, f.protocol_fees, f.creator_fees, f.creator_fees_claimed, f.last_trade_block, f.last_trade_log,
      f.last_trade_at, f.trend, f.trend_sum, f.trend_exponent, f.positive_balances, f.holder_count, f.top10_balance,
      f.creator_balance, f.volume_usd_h1, f.buys_h1, f.sells_h1, f.wash_volume, f.rate_native, f.volume_quote_total,
      f.volume_quote_h24, f.volume_quote_h1
    from token_figures f join token_ids k on k.id = f.token_id;
`

const trades = sql`
  -- value_native: 0 where no price is known; rate_native is null then. rate_native: as that of tokens.
  alter table trades add column value_native numeric(78,0), add column rate_native numeric(78,0),
    add column realized_native numeric(78,0);
  create index trades_large_quoted on trades (block_number desc, log_index desc) where value_native >= 1000000000000000000;

  alter table pool_states add column rate_native numeric(78,0);
  create or replace view readable_pool_states as
    select s.block_number, s.log_index, k.address as token, s.pool_quote, s.pool_token, s.price, s.price_usd, s.rate_native
    from pool_states s left join tokens k on k.id = s.token_id;

  create or replace view readable_trades as
    select t.block_number, t.log_index, t.block_time, '0x' || encode(t.tx_hash, 'hex') as tx_hash, k.address as token,
      '0x' || encode(t.trader, 'hex') as trader, t.trader_known,
      '0x' || encode(coalesce(t.recipient, t.trader), 'hex') as recipient,
      case t.side when 'b' then 'buy' else 'sell' end as side, case t.venue when 'c' then 'curve' else 'pool' end as venue,
      '0x' || encode(l.address, 'hex') as launchpad, '0x' || encode(q.address, 'hex') as quote_token,
      '0x' || encode(t.pool, 'hex') as pool, t.token_amount, t.quote_amount, t.protocol_fee, t.creator_fee, t.virtual_quote,
      t.virtual_token, t.real_quote, t.real_token, t.price, t.price_usd, t.value_usd, t.realized, t.realized_usd,
      t.value_native, t.rate_native, t.realized_native
    from trades t left join tokens k on k.id = t.token_id left join contract_ids l on l.id = t.launchpad_id
    left join contract_ids q on q.id = t.quote_id;
`

const candles = sql`
  alter table candles add column open_native double precision, add column high_native double precision,
    add column low_native double precision, add column close_native double precision,
    add column volume_native numeric(78,0);

  create or replace view readable_candles as
    select k.address as token, c.resolution, c.bucket, c.open, c.high, c.low, c.close, c.open_usd, c.high_usd, c.low_usd,
      c.close_usd, c.volume, c.volume_usd, c.trades, c.open_block, c.open_log, c.close_block, c.close_log, c.open_native,
      c.high_native, c.low_native, c.close_native, c.volume_native
    from candles c left join tokens k on k.id = c.token_id;
`

const balances = sql`
  alter table balances add column lot_cost_native numeric(78,0), add column realized_native numeric(78,0);

  create or replace view readable_balances as
    select k.address as token, '0x' || encode(b.wallet, 'hex') as wallet, b.balance, b.first_seen_block, b.first_seen_at,
      b.last_trade_block, b.last_trade_log, b.last_trade_at, b.trades_h24, b.lot_tokens, b.lot_cost, b.lot_cost_usd, b.realized,
      b.realized_usd, b.bought, b.sold, b.spent, b.proceeds, b.sent, b.lot_cost_native, b.realized_native
    from balances b left join tokens k on k.id = b.token_id;
`

/** Their other sums are in base units of the quote asset. */
const archives = sql`
  alter table archived_tokens add column volume_native numeric(78,0), add column protocol_fees_native numeric(78,0),
    add column creator_fees_native numeric(78,0), add column curve_rate_native numeric(78,0),
    add column pool_rate_native numeric(78,0);
  alter table archived_pairs add column volume_native numeric(78,0), add column realized_native numeric(78,0),
    add column lot_cost_native numeric(78,0), add column lot_realized_native numeric(78,0);
`

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const part of [quotes, tokens, trades, candles, balances, archives]) await part.execute(db)
}
