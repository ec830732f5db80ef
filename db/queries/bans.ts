import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'

export async function isWalletBanned(db: Kysely<Database>, wallet: string): Promise<boolean> {
  const row = await db.selectFrom('profiles').select('banned_at').where('wallet', '=', wallet).executeTakeFirst()
  return (row?.banned_at ?? null) !== null
}
