import { type Kysely, sql } from 'kysely'

/*
 * Committers who leave a raise before a release that they did not vote for. Rows of older contracts, which
 * had no exits, get the terms that those had: at once, all of it, at any time.
 */
const kinds = sql`kind in ('raise_create', 'register', 'commit', 'finalize', 'cancel_raise', 'claim_raise', 'refund',
  'reclaim_tokens', 'dissolve', 'propose', 'vote', 'exit', 'execute', 'cancel_proposal')`

const statements = [
  sql`alter table raise_events drop constraint raise_events_kind_check`,
  sql`alter table raise_events add constraint raise_events_kind_check check (${kinds})`,
  sql`alter table raise_events add column tokens_given_up numeric(78,0), add column exited_weight numeric(78,0)`,

  sql`alter table raises add column exit_window bigint, add column release_period bigint,
    add column release_bps integer, add column exited_weight numeric(78,0) not null default 0,
    add column exited_amount numeric(78,0) not null default 0`,

  sql`alter table raise_commitments add column exited_amount numeric(78,0), add column tokens_given_up numeric(78,0)`,

  sql`alter table raise_proposals add column total_weight numeric(78,0), add column executable_at bigint,
    add column expires_at bigint, add column executed_amount numeric(78,0)`,
  sql`update raises set exit_window = 0, release_period = 0, release_bps = 10000 where created_block is not null`,
  sql`update raise_proposals p set total_weight = r.total_committed, executable_at = vote_end,
    expires_at = 253402300799, executed_amount = case when executed_at is not null then amount end
    from raises r where r.id = p.raise and p.created_block is not null`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
