import { type Kysely, sql } from 'kysely'

/*
 * What a wallet did with a token in total, and transfers that are no part of a trade: who bought, who passed tokens on, and who
 * traded with itself. The rows of earlier versions are rebuilt from the stored logs (indexer/rules.ts).
 */

const balances = sql`
  -- bought, sold: tokens; spent, proceeds: native coin, fees included and deducted. sent: tokens of all transfers to other wallets,
  -- sales included.
  alter table balances
    add column bought numeric(78,0) not null default 0,
    add column sold numeric(78,0) not null default 0,
    add column spent numeric(78,0) not null default 0,
    add column proceeds numeric(78,0) not null default 0,
    add column sent numeric(78,0) not null default 0;
  -- When a wallet was first seen.
  create index balances_seen on balances (wallet, first_seen_at);

  create or replace view readable_balances as
    select k.address as token, '0x' || encode(b.wallet, 'hex') as wallet, b.balance, b.first_seen_block, b.first_seen_at,
      b.last_trade_block, b.last_trade_log, b.last_trade_at, b.trades_h24, b.lot_tokens, b.lot_cost, b.lot_cost_usd, b.realized,
      b.realized_usd, b.bought, b.sold, b.spent, b.proceeds, b.sent
    from balances b left join tokens k on k.id = b.token_id;
`

const figures = sql`
  alter table token_figures add column wash_volume numeric(78,0) not null default 0;

  create or replace view readable_token_figures as
    select k.address as token, f.token_id, f.hidden, f.created_block, f.created_log, f.status, f.completed_block, f.completed_log,
      f.graduated_block, f.graduated_log, f.graduated_at, '0x' || encode(f.pool, 'hex') as pool, f.virtual_quote,
      f.virtual_token, f.real_quote, f.real_token, f.pool_quote, f.pool_token, f.pool_block, f.pool_log, f.curve_block, f.curve_log, f.progress, f.price, f.market_cap,
      f.ath_market_cap_usd, f.volume_total, f.volume_h24, f.volume_h1, f.volume_usd_h24, f.trades_total, f.buys_h24, f.sells_h24,
      f.traders_h24, f.protocol_fees, f.creator_fees, f.creator_fees_claimed, f.last_trade_block, f.last_trade_log,
      f.last_trade_at, f.trend, f.trend_sum, f.trend_exponent, f.positive_balances, f.holder_count, f.top10_balance,
      f.creator_balance, f.volume_usd_h1, f.buys_h1, f.sells_h1, f.wash_volume
    from token_figures f join token_ids k on k.id = f.token_id;
`

const transfers = sql`
  create table transfers (
    block_number bigint not null,
    token_id integer not null,
    log_index integer not null,
    sender bytea not null,
    recipient bytea not null,
    amount numeric(78,0) not null,
    primary key (token_id, block_number, log_index)
  );
  create index transfers_sender on transfers (token_id, sender, block_number, log_index);
  create index transfers_position on transfers (block_number, log_index);
  comment on table transfers is 'Transfer of a token that is no part of a trade. Appended. Spread: by token.';

  create view readable_transfers as
    select s.block_number, s.log_index, k.address as token, '0x' || encode(s.sender, 'hex') as sender,
      '0x' || encode(s.recipient, 'hex') as recipient, s.amount
    from transfers s left join tokens k on k.id = s.token_id;
  comment on view readable_transfers is 'Row of \`transfers\` with text instead of numbers and bytes. A view, for psql.';
`

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const part of [balances, figures, transfers]) await part.execute(db)
}
