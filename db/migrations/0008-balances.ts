import { type Kysely, sql } from 'kysely'

/*
 * An undo finds the wallets that were first seen above the fork among those that its own events touch. The index that used to
 * find them was written again with every balance.
 */
const statements = [sql`drop index if exists balances_first_seen`]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
