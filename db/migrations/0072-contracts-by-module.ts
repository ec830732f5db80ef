import { type Kysely, sql } from 'kysely'

/*
 * The indexed contracts of each module in one column, so that another module needs none of its own.
 */
const statements = [
  sql`alter table chain_state add column contracts jsonb`,
  sql`update chain_state set contracts = jsonb_build_object('market', launchpads, 'staking', staking, 'raises', raises)`,
  sql`alter table chain_state alter column contracts set not null, drop column launchpads, drop column staking,
    drop column raises`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
