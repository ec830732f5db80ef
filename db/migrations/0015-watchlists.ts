import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table watched_tokens (
      token_id integer not null,
      wallet bytea not null,
      created_at timestamptz(3) not null default now(),
      primary key (token_id, wallet)
    );
    create index watched_tokens_wallet on watched_tokens (wallet, created_at desc, token_id desc);
    comment on table watched_tokens is 'Token on the watchlist of a wallet. Per request. Spread: by token.';
    comment on column watched_tokens.token_id is 'Not listed, not counted.';
    alter table token_counts add column watchers bigint not null default 0 check (watchers >= 0);
  `.execute(db)
}
