import { type Kysely, sql } from 'kysely'

/*
 * Sums of the tokens of each kind of launchpad. Where all tokens are of one kind, its sums are those of the platform. Where they are
 * of several, the derived tables are rebuilt from the stored logs.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table launchpad_figures (
      kind text primary key,
      tokens_total bigint not null,
      tokens_graduated bigint not null,
      trades_total bigint not null,
      trades_h24 bigint not null,
      volume_total numeric(78,0) not null,
      volume_h24 numeric(78,0) not null,
      volume_usd_total numeric(38,8) not null,
      volume_usd_h24 numeric(38,8) not null,
      protocol_fees_total numeric(78,0) not null,
      protocol_fees_h24 numeric(78,0) not null,
      creator_fees_total numeric(78,0) not null,
      creator_fees_h24 numeric(78,0) not null
    );
    comment on table launchpad_figures is 'Sums of the tokens of a kind of launchpad. Once per batch and kind. Spread: local.';

    insert into launchpad_figures
    select k.kind, p.tokens_total, p.tokens_graduated, p.trades_total, p.trades_h24, p.volume_total, p.volume_h24,
      p.volume_usd_total, p.volume_usd_h24, p.protocol_fees_total, p.protocol_fees_h24, p.creator_fees_total, p.creator_fees_h24
    from platform_figures p, (select min(launchpad_kind) as kind from tokens having count(distinct launchpad_kind) = 1) k;

    update chain_state set rules = 0 where (select count(distinct launchpad_kind) from tokens) > 1;
  `.execute(db)
}
