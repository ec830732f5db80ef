import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'

/** Whether a token was launched here, hidden or not. */
export async function isLaunched(db: Kysely<Database>, address: string): Promise<boolean> {
  const figures = await db
    .selectFrom('token_figures')
    .where('token', '=', address)
    .where('launched', '=', true)
    .select('token')
    .executeTakeFirst()
  return figures !== undefined
}
