import { type Kysely, sql } from 'kysely'

/*
 * Rules of the market that changed: which rules the derived tables were made by, whether the seller in a pool is known, the
 * price that a pool was left at, and the trending score as an exact sum (trend_sum x 2^trend_exponent; trend is its
 * logarithm). The rows themselves are rebuilt from the stored logs by the indexer, which finds rules outdated.
 */
const statements = [
  sql`alter table chain_state add column rules integer not null default 0`,
  sql`alter table trades add column trader_known boolean not null default true`,
  sql`alter table pool_states add column price double precision, add column price_usd double precision`,
  sql`alter table token_figures add column trend_sum numeric not null default 0,
    add column trend_exponent integer not null default 0`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
