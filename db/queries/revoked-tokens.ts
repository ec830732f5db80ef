import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** `db` is the primary: on a replica that is late, a token that was just revoked would still be valid. */
export async function isTokenRevoked(db: Kysely<Database>, jti: string): Promise<boolean> {
  const row = await db.selectFrom('revoked_tokens').select('jti').where('jti', '=', jti).executeTakeFirst()
  return row !== undefined
}

/** exp: unix seconds, when the token expires. Again changes nothing. */
export async function addRevokedToken(db: Kysely<Database>, { jti, exp }: { jti: string; exp: number }): Promise<void> {
  await db
    .insertInto('revoked_tokens')
    .values({ jti, expires_at: new Date(exp * 1000) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Forgets those that have expired: they are refused for that. A minute later, for clocks that differ. */
export async function trimRevokedTokens(db: Kysely<Database>): Promise<void> {
  await sql`delete from revoked_tokens where expires_at < now() - interval '1 minute'`.execute(db)
}
