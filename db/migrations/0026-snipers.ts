import { type Kysely, sql } from 'kysely'

/*
 * Who bought a token within seconds of its first trade. Those of earlier launches are found among their first 500 trades, with the
 * default of SNIPER_SECONDS; with another one, the derived tables are rebuilt when indexing begins.
 */

// One statement at a time: on Citus, they are sent as prepared statements.
const tables = [
  sql`
  create table snipers (
    token_id integer not null,
    wallet bytea not null,
    primary key (token_id, wallet)
  )`,
  sql`
  comment on table snipers is
    'Wallet that bought a token within SNIPER_SECONDS of its first trade. With the trades of its launch. Spread: by token.'`,
  sql`
  create view readable_snipers as
    select k.address as token, '0x' || encode(s.wallet, 'hex') as wallet
    from snipers s left join tokens k on k.id = s.token_id`,
  sql`
  comment on view readable_snipers is 'Row of \`snipers\` with text instead of numbers and bytes. A view, for psql.'`,
  sql`
  alter table chain_state add column sniper_seconds integer not null default 5`,
  sql`
  comment on column chain_state.sniper_seconds is 'SNIPER_SECONDS of the rows of snipers.'`,
  sql`
  -- sniper_balance: tokens that snipers hold.
  alter table token_figures add column first_trade_at bigint, add column sniper_balance numeric(78,0) not null default 0`,
  sql`
  create or replace view readable_token_figures as
    select k.address as token, f.token_id, f.hidden, f.created_block, f.created_log, f.status, f.completed_block, f.completed_log,
      f.graduated_block, f.graduated_log, f.graduated_at, '0x' || encode(f.pool, 'hex') as pool, f.virtual_quote,
      f.virtual_token, f.real_quote, f.real_token, f.pool_quote, f.pool_token, f.pool_block, f.pool_log, f.curve_block, f.curve_log, f.progress, f.price, f.market_cap,
      f.ath_market_cap_usd, f.volume_total, f.volume_h24, f.volume_h1, f.volume_usd_h24, f.trades_total, f.buys_h24, f.sells_h24,
      f.traders_h24, f.protocol_fees, f.creator_fees, f.creator_fees_claimed, f.last_trade_block, f.last_trade_log,
      f.last_trade_at, f.trend, f.trend_sum, f.trend_exponent, f.positive_balances, f.holder_count, f.top10_balance,
      f.creator_balance, f.volume_usd_h1, f.buys_h1, f.sells_h1, f.wash_volume, f.rate_native, f.volume_quote_total,
      f.volume_quote_h24, f.volume_quote_h1, f.first_trade_at, f.sniper_balance
    from token_figures f join token_ids k on k.id = f.token_id`,
]

const rows = [
  sql`
  -- 0: the first trades are archived, so who bought then is unknown.
  update token_figures f set first_trade_at = case
    when exists (select from archived_tokens a where a.token_id = f.token_id) then 0
    else (select e.block_time from trades e where e.token_id = f.token_id order by e.block_number, e.log_index limit 1) end
  where f.trades_total > 0`,
  sql`
  insert into snipers (token_id, wallet)
  select distinct f.token_id, l.wallet
  from token_figures f join tokens k on k.id = f.token_id cross join lateral (
    select coalesce(e.recipient, e.trader) as wallet, e.side, e.block_time
    from trades e where e.token_id = f.token_id order by e.block_number, e.log_index limit 500
  ) l
  where l.side = 'b' and l.block_time <= f.first_trade_at + 5 and l.wallet <> all(array[
    decode(substr(k.creator, 3), 'hex'), decode(substr(k.launchpad, 3), 'hex'), decode(substr(k.address, 3), 'hex'),
    decode(repeat('00', 20), 'hex'), decode('000000000000000000000000000000000000dead', 'hex')])`,
  sql`
  update token_figures f set sniper_balance = s.balance
  from (
    select token_id, sum(b.balance) as balance from snipers s join balances b using (token_id, wallet) group by token_id
  ) s
  where s.token_id = f.token_id`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...tables, ...rows]) await statement.execute(db)
}
