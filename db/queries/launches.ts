import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'

/** Whether a token was launched here, hidden or not. */
export async function isLaunched(db: Kysely<Database>, address: string): Promise<boolean> {
  const token = await db.selectFrom('tokens').where('address', '=', address).select('id').executeTakeFirst()
  return token !== undefined
}
