import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'

/**
 * Gives the address of a token to another launch, as a reorg can. Content of users about the first launch, which these
 * tables must hold, is then hidden. Each table with such content is named in one such call: see test/db/creations.test.ts.
 */
export async function replaceLaunch(db: Db, token: string, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await sql`select from ${sql.table(table)} where token = ${token} limit 1`.execute(db)
    if (rows.length === 0) throw new Error(`${table} has no row about ${token}, so the replacement would hide nothing`)
  }
  await db
    .updateTable('tokens')
    .set({ tx_hash: `0x${'f'.repeat(64)}` })
    .where('address', '=', token)
    .execute()
}
