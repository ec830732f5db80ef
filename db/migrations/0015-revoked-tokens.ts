import { type Kysely, sql } from 'kysely'

/* Tokens of sign-in that were revoked, until they would have expired anyway. The cache repeats it, and may forget. */
const statements = [
  sql`create table revoked_tokens (
    jti text collate "C" primary key,
    expires_at timestamptz not null
  )`,
  sql`create index revoked_tokens_expiry on revoked_tokens (expires_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
