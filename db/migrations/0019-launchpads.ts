import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table chain_state add column contract_kinds jsonb not null default '{}';
    comment on column chain_state.contract_kinds is 'Kind of each contract in DEPLOYMENTS, by address.';

    -- The defaults are of rows that were written before, and of an earlier version that still runs.
    alter table tokens add column launchpad_kind text not null default 'slipway';
    alter table tokens add column venue text not null default 'uniswap-v2';
    comment on column tokens.launchpad_kind is 'Kind of its launchpad: which contracts launched it.';
    comment on column tokens.venue is 'Type of the pool into which it graduates.';

    -- Null where the logs of a launchpad do not tell.
    alter table tokens alter column protocol_fee_bps drop not null;
    alter table tokens alter column creator_fee_bps drop not null;
    alter table trades alter column protocol_fee drop not null;
    alter table trades alter column creator_fee drop not null;
  `.execute(db)
}
