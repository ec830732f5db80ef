import { type Kysely, sql } from 'kysely'

/*
 * Trades of the last hour by side, and their volume in US dollars, for the filters of the token list.
 *
 * Earlier versions do not write them: their indexer must be stopped before this one starts.
 */
const HOUR = 3_600

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table token_figures add column volume_usd_h1 numeric(38,8) not null default 0,
      add column buys_h1 bigint not null default 0, add column sells_h1 bigint not null default 0;

    create or replace view readable_token_figures as
      select k.address as token, f.token_id, f.hidden, f.created_block, f.created_log, f.status, f.completed_block,
        f.completed_log, f.graduated_block, f.graduated_log, f.graduated_at, '0x' || encode(f.pool, 'hex') as pool,
        f.virtual_quote, f.virtual_token, f.real_quote, f.real_token, f.pool_quote, f.pool_token, f.pool_block, f.pool_log,
        f.curve_block, f.curve_log, f.progress, f.price, f.market_cap, f.ath_market_cap_usd, f.volume_total, f.volume_h24,
        f.volume_h1, f.volume_usd_h24, f.trades_total, f.buys_h24, f.sells_h24, f.traders_h24, f.protocol_fees,
        f.creator_fees, f.creator_fees_claimed, f.last_trade_block, f.last_trade_log, f.last_trade_at, f.trend, f.trend_sum,
        f.trend_exponent, f.positive_balances, f.holder_count, f.top10_balance, f.creator_balance, f.volume_usd_h1,
        f.buys_h1, f.sells_h1
      from token_figures f join token_ids k on k.id = f.token_id;
  `.execute(db)
  const { rows } = await sql<{ clock: number }>`select clock_time as clock from chain_state`.execute(db)
  const [state] = rows
  if (!state) return
  // Found by height, for which trades have an index.
  const { rows: heights } = await sql<{ first: number | null }>`
    select min(number) as first from blocks where time >= ${state.clock - HOUR}`.execute(db)
  const first = heights[0]?.first ?? null
  if (first === null) return
  await sql`
    update token_figures f set volume_usd_h1 = s.volume_usd, buys_h1 = s.buys, sells_h1 = s.sells
    from (
      select token_id, coalesce(sum(value_usd), 0) as volume_usd, count(*) filter (where side = 'b') as buys,
        count(*) filter (where side = 's') as sells
      from trades where block_number >= ${first} and block_time >= ${state.clock - HOUR} group by token_id
    ) s
    where f.token_id = s.token_id`.execute(db)
}
