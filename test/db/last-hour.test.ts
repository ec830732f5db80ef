import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { up } from '../../db/migrations/0018-last-hour.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'

t.test(
  'a database that is migrated has the trades of the last hour as an indexer would have counted them',
  async (t) => {
    const { db } = await createTestDatabase(t)
    await fillMarket(db)
    const read = () =>
      db
        .selectFrom('token_figures')
        .select(['token_id', 'volume_usd_h1', 'buys_h1', 'sells_h1'])
        .orderBy('token_id')
        .execute()
    const counted = await read()
    t.ok(counted.some(({ buys_h1 }) => buys_h1 > 0))
    t.ok(counted.some(({ buys_h1, sells_h1 }) => buys_h1 + sells_h1 === 0))
    await sql`drop view readable_token_figures`.execute(db)
    await sql`alter table token_figures drop column volume_usd_h1, drop column buys_h1, drop column sells_h1`.execute(
      db,
    )
    await up(db as unknown as Kysely<unknown>)
    t.strictSame(await read(), counted)
  },
)
