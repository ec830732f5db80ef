import { type Kysely, sql } from 'kysely'

/*
 * Blocks that were indexed from answers for ranges, which nothing proves: the background pass proves them. Of an older
 * database these are all blocks.
 */
const statements = [
  sql`alter table chain_state add column unproven int8multirange not null default '{}'`,
  sql`update chain_state set unproven = int8multirange(int8range(0, checkpoint_number, '[]')) where checkpoint_number >= 0`,
  sql`alter table chain_state add column proofs text not null default 'on' check (proofs in ('on', 'off', 'unsupported'))`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
