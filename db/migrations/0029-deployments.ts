import { type Kysely, sql } from 'kysely'

/*
 * Contracts that operators have added over the API, beside those of DEPLOYMENTS. Sums of each launchpad instead of each kind, so that
 * those of a removed one are left out. Where a kind has several, the derived tables are rebuilt from the stored logs.
 */

// One statement at a time: on Citus, they are sent as prepared statements.
const statements = [
  sql`
  create table deployments (
    address text primary key,
    kind text not null,
    start_block bigint not null,
    added_by text not null,
    added_at timestamptz not null default now(),
    -- The checkpoint when the indexer began to follow it; null: it has not yet. Tokens launched up to this block are left to its backfill.
    followed_from bigint,
    -- Up to this block its backfill has read the chain; null before the first range.
    backfilled_to bigint,
    completed_at timestamptz,
    -- Set while its tokens are hidden.
    removed_at timestamptz
  )`,
  sql`
  comment on table deployments is
    'Contract that operators have added over the API. Per contract; each backfill updates its row with every batch. Spread: reference.'`,
  sql`alter table launchpad_figures add column launchpad text`,
  sql`
  update launchpad_figures f set launchpad = k.launchpad
  from (select launchpad_kind, min(launchpad) as launchpad from tokens group by launchpad_kind having count(distinct launchpad) = 1) k
  where k.launchpad_kind = f.kind`,
  sql`update chain_state set rules = 0 where exists (select from launchpad_figures where launchpad is null)`,
  sql`delete from launchpad_figures where launchpad is null`,
  sql`alter table launchpad_figures drop constraint launchpad_figures_pkey, add primary key (launchpad)`,
  sql`comment on table launchpad_figures is 'Sums of the tokens of a launchpad. Once per batch and launchpad. Spread: local.'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
