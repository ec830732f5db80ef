import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create sequence alert_ids;

    -- An alert compares the threshold with the measure; metric and value are how its wallet wrote them.
    create table token_alerts (
      token_id integer not null,
      id bigint not null default nextval('alert_ids'),
      wallet bytea not null,
      measure text not null check (measure in ('price', 'price_usd', 'm5', 'h1', 'h6', 'h24', 'graduation')),
      direction text not null check (direction in ('above', 'below')),
      threshold double precision not null,
      metric text check (metric in ('priceNative', 'priceUsd', 'marketCapNative', 'marketCapUsd')),
      value double precision,
      since_block bigint not null,
      created_at timestamptz(3) not null default now(),
      triggered_at timestamptz(3),
      triggered_block bigint,
      primary key (token_id, id)
    );
    create index token_alerts_armed on token_alerts (token_id, measure, direction, threshold) where triggered_block is null;
    create index token_alerts_triggered on token_alerts (triggered_block) where triggered_block is not null;
    create index token_alerts_wallet on token_alerts (wallet, id desc);
    comment on table token_alerts is
      'Alert of a wallet about a token. Per request, and with the events of a batch that trigger it. Spread: local.';
    comment on column token_alerts.token_id is 'Not listed, not triggered.';
    comment on column token_alerts.since_block is 'Events of later blocks trigger it.';
    comment on column token_alerts.triggered_block is 'Null while it waits; a reorg of the block lets it wait again.';

    create table trade_alerts (
      trader bytea not null,
      id bigint not null default nextval('alert_ids'),
      wallet bytea not null,
      since_block bigint not null,
      created_at timestamptz(3) not null default now(),
      primary key (trader, id)
    );
    create unique index trade_alerts_wallet on trade_alerts (wallet, trader);
    comment on table trade_alerts is 'Alert of a wallet about the trades of another. Per request. Spread: local.';

    -- One event may trigger several alerts of a wallet.
    drop index notifications_event;
    create unique index notifications_event
      on notifications (block_number, log_index, type, recipient, coalesce(payload #>> '{alert,id}', ''))
      where block_number is not null;
  `.execute(db)
}
