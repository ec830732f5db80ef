import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import { toBytes } from '../../db/hex.ts'
import { tokenId } from '../../db/token-ids.ts'

/**
 * Gives the address of a token to another launch, as a reorg can. Content of users about the first launch, which these
 * tables must hold, is then hidden. Each table with such content is named in one such call: see test/db/creations.test.ts.
 */
export async function replaceLaunch(db: Db, token: string, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await sql`select from ${sql.table(table)} where token_id = ${tokenId(token)} limit 1`.execute(db)
    if (rows.length === 0) throw new Error(`${table} has no row about ${token}, so the replacement would hide nothing`)
  }
  const { id } = await db
    .insertInto('token_ids')
    .values({ address: token, creation: Buffer.alloc(32, 255) })
    .returning('id')
    .executeTakeFirstOrThrow()
  // Not by an update: Citus has the rows of another number on another node.
  const { pool, ...figures } = await db
    .deleteFrom('token_figures')
    .where('token_id', '=', tokenId(token))
    .returningAll()
    .executeTakeFirstOrThrow()
  await db
    .insertInto('token_figures')
    .values({ ...figures, token_id: id, pool: pool === null ? null : toBytes(pool) })
    .execute()
  await db.updateTable('tokens').set({ id }).where('address', '=', token).execute()
}
