import type { Db } from '../../db/client.ts'

/** The number of a launched token, for a row that is inserted: Citus accepts no subquery there. */
export async function readTokenId(db: Db, address: string): Promise<number> {
  const { id } = await db.selectFrom('tokens').select('id').where('address', '=', address).executeTakeFirstOrThrow()
  return id
}
