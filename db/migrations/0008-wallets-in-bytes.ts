import { type Kysely, sql } from 'kysely'
import { isMoved, type Move, moveRows } from './move-rows.ts'

/*
 * Balances and figures of wallets have the wallet in bytes, and balances the number of the token, as trades do: text took half of
 * their space. The rows of earlier versions are moved after the migration.
 */

const balances = sql`
  alter table balances rename to balances_in_text;
  alter table balances_in_text rename constraint balances_pkey to balances_in_text_pkey;
  drop index balances_holders, balances_wallet;

  -- lot_*: the tokens that the wallet has bought and not sold yet, and their cost. No index for undoing a reorg, because the
  -- undone events name the pairs, and it would be rewritten with every change of a balance. The order of the columns leaves no
  -- padding.
  create table balances (
    first_seen_block bigint not null,
    first_seen_at bigint not null,
    last_trade_block bigint,
    last_trade_at bigint,
    last_trade_log integer,
    trades_h24 integer not null default 0,
    token_id integer not null,
    wallet bytea not null,
    balance numeric(78,0) not null default 0,
    lot_tokens numeric(78,0) not null default 0,
    lot_cost numeric(78,0) not null default 0,
    lot_cost_usd numeric(38,8) not null default 0,
    realized numeric(78,0) not null default 0,
    realized_usd numeric(38,8) not null default 0,
    primary key (token_id, wallet)
  ) with (fillfactor = 80);
  create index balances_holders on balances (token_id, balance desc, wallet) where balance > 0;
  create index balances_wallet on balances (wallet, token_id) where balance > 0;
  comment on table balances is 'Balance of a token in a wallet. Once per batch and pair.';

  create view readable_balances as
    select k.address as token, '0x' || encode(b.wallet, 'hex') as wallet, b.balance, b.first_seen_block, b.first_seen_at,
      b.last_trade_block, b.last_trade_log, b.last_trade_at, b.trades_h24, b.lot_tokens, b.lot_cost, b.lot_cost_usd, b.realized,
      b.realized_usd
    from balances b left join tokens k on k.id = b.token_id;
  comment on view readable_balances is 'Row of \`balances\` with text instead of numbers and bytes. A view, for psql.';
`

const wallets = sql`
  alter table wallet_figures rename to wallet_figures_in_text;
  alter table wallet_figures_in_text rename constraint wallet_figures_pkey to wallet_figures_in_text_pkey;
  drop index wallet_figures_total, wallet_figures_realized_total, wallet_figures_h24, wallet_figures_realized_h24,
    wallet_figures_d7, wallet_figures_realized_d7, wallet_figures_d30, wallet_figures_realized_d30;

  create table wallet_figures (
    trades_total bigint not null default 0,
    trades_h24 bigint not null default 0,
    trades_d7 bigint not null default 0,
    trades_d30 bigint not null default 0,
    wallet bytea primary key,
    volume_total numeric(78,0) not null default 0,
    volume_usd_total numeric(38,8) not null default 0,
    realized_total numeric(78,0) not null default 0,
    realized_usd_total numeric(38,8) not null default 0,
    volume_h24 numeric(78,0) not null default 0,
    volume_usd_h24 numeric(38,8) not null default 0,
    realized_h24 numeric(78,0) not null default 0,
    realized_usd_h24 numeric(38,8) not null default 0,
    volume_d7 numeric(78,0) not null default 0,
    volume_usd_d7 numeric(38,8) not null default 0,
    realized_d7 numeric(78,0) not null default 0,
    realized_usd_d7 numeric(38,8) not null default 0,
    volume_d30 numeric(78,0) not null default 0,
    volume_usd_d30 numeric(38,8) not null default 0,
    realized_d30 numeric(78,0) not null default 0,
    realized_usd_d30 numeric(38,8) not null default 0
  ) with (fillfactor = 80);
  -- An index for each ranking of traders.
  create index wallet_figures_total on wallet_figures (volume_total desc, wallet) where trades_total > 0;
  create index wallet_figures_realized_total on wallet_figures (realized_total desc, wallet) where trades_total > 0;
  create index wallet_figures_h24 on wallet_figures (volume_h24 desc, wallet) where trades_h24 > 0;
  create index wallet_figures_realized_h24 on wallet_figures (realized_h24 desc, wallet) where trades_h24 > 0;
  create index wallet_figures_d7 on wallet_figures (volume_d7 desc, wallet) where trades_d7 > 0;
  create index wallet_figures_realized_d7 on wallet_figures (realized_d7 desc, wallet) where trades_d7 > 0;
  create index wallet_figures_d30 on wallet_figures (volume_d30 desc, wallet) where trades_d30 > 0;
  create index wallet_figures_realized_d30 on wallet_figures (realized_d30 desc, wallet) where trades_d30 > 0;
  comment on table wallet_figures is 'Turnover and profit of a wallet by period. Once per batch and wallet.';
`

const figures = sql.raw(
  ['total', 'h24', 'd7', 'd30']
    .flatMap((period) =>
      ['trades', 'volume', 'volume_usd', 'realized', 'realized_usd'].map((name) => `${name}_${period}`),
    )
    .join(', '),
)

const moves: readonly Move[] = [
  {
    from: 'balances_in_text',
    key: ['token', 'wallet'],
    insert: sql`
      insert into balances (first_seen_block, first_seen_at, last_trade_block, last_trade_at, last_trade_log, trades_h24, token_id,
        wallet, balance, lot_tokens, lot_cost, lot_cost_usd, realized, realized_usd)
      select m.first_seen_block, m.first_seen_at, m.last_trade_block, m.last_trade_at, m.last_trade_log, m.trades_h24, t.id,
        decode(substr(m.wallet, 3), 'hex'), m.balance, m.lot_tokens, m.lot_cost, m.lot_cost_usd, m.realized, m.realized_usd
      from moved m join tokens t on t.address = m.token
      order by t.id, m.wallet`,
  },
  {
    from: 'wallet_figures_in_text',
    key: ['wallet'],
    insert: sql`
      insert into wallet_figures (wallet, ${figures})
      select decode(substr(wallet, 3), 'hex'), ${figures} from moved order by wallet`,
  },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await balances.execute(db)
  await wallets.execute(db)
  for (const { from } of moves) {
    const { rows } = await sql`select from ${sql.table(from)} limit 1`.execute(db)
    if (rows.length === 0) await sql`drop table ${sql.table(from)}`.execute(db)
  }
}

export async function convert(
  db: Kysely<unknown>,
  { onProgress }: { onProgress: (line: string) => void },
): Promise<void> {
  for (const move of moves) await moveRows(db, move, onProgress)
}

export async function isConverted(db: Kysely<unknown>): Promise<boolean> {
  for (const move of moves) if (!(await isMoved(db, move))) return false
  return true
}
