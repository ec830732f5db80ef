import { type Kysely, sql } from 'kysely'

/*
 * Who bought a token in a bundle at its launch. The rows of earlier launches come with the rebuild of the derived tables that the new
 * rules ask for; until then, what their bundlers hold is null.
 */

// One statement at a time: on Citus, they are sent as prepared statements.
const statements = [
  sql`
  create table bundlers (
    token_id integer not null,
    wallet bytea not null,
    primary key (token_id, wallet)
  )`,
  sql`
  comment on table bundlers is
    'Wallet that bought a token in a bundle at its launch. With the trades of its launch. Spread: by token.'`,
  sql`
  create view readable_bundlers as
    select k.address as token, '0x' || encode(b.wallet, 'hex') as wallet
    from bundlers b left join tokens k on k.id = b.token_id`,
  sql`
  comment on view readable_bundlers is 'Row of \`bundlers\` with text instead of numbers and bytes. A view, for psql.'`,
  sql`alter table token_figures add column bundler_balance numeric(78,0)`,
  sql`comment on column token_figures.bundler_balance is
    'Tokens that bundlers hold. Null: stored by a version before, until the derived tables are rebuilt.'`,
  sql`
  create or replace view readable_token_figures as
    select k.address as token, f.token_id, f.hidden, f.created_block, f.created_log, f.status, f.completed_block, f.completed_log,
      f.graduated_block, f.graduated_log, f.graduated_at, '0x' || encode(f.pool, 'hex') as pool, f.virtual_quote,
      f.virtual_token, f.real_quote, f.real_token, f.pool_quote, f.pool_token, f.pool_block, f.pool_log, f.curve_block, f.curve_log, f.progress, f.price, f.market_cap,
      f.ath_market_cap_usd, f.volume_total, f.volume_h24, f.volume_h1, f.volume_usd_h24, f.trades_total, f.buys_h24, f.sells_h24,
      f.traders_h24, f.protocol_fees, f.creator_fees, f.creator_fees_claimed, f.last_trade_block, f.last_trade_log,
      f.last_trade_at, f.trend, f.trend_sum, f.trend_exponent, f.positive_balances, f.holder_count, f.top10_balance,
      f.creator_balance, f.volume_usd_h1, f.buys_h1, f.sells_h1, f.wash_volume, f.rate_native, f.volume_quote_total,
      f.volume_quote_h24, f.volume_quote_h1, f.first_trade_at, f.sniper_balance, f.bundler_balance
    from token_figures f join token_ids k on k.id = f.token_id`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
