import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** `db` must be the primary: on a lagging replica a revoked token would still be valid. */
export async function isTokenRevoked(db: Kysely<Database>, jti: string): Promise<boolean> {
  const row = await db.selectFrom('revoked_tokens').select('jti').where('jti', '=', jti).executeTakeFirst()
  return row !== undefined
}

/** exp: unix seconds, the token's expiry. Idempotent. */
export async function addRevokedToken(db: Kysely<Database>, { jti, exp }: { jti: string; exp: number }): Promise<void> {
  await db
    .insertInto('revoked_tokens')
    .values({ jti, expires_at: new Date(exp * 1000) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes those that no replica accepts any more, even if its clock is late by the tolerance, in seconds. */
export async function trimRevokedTokens(db: Kysely<Database>, clockTolerance: number): Promise<void> {
  await sql`delete from revoked_tokens where expires_at < now() - make_interval(secs => ${clockTolerance})`.execute(db)
}
