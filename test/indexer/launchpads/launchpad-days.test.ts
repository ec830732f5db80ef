import { sql } from 'kysely'
import t from 'tap'
import { completeDays } from '../../../indexer/market/store-launchpads.ts'
import { createTestDatabase } from '../../support/database.ts'
import { fillMarket } from '../../support/market-fixture.ts'

const DAY = 86_400
const { db } = await createTestDatabase(t)
await fillMarket(db)
/** US dollars in cents: the fixture rounds the sum of a day, not each trade. */
const readDays = async () => {
  const rows = await db.selectFrom('launchpad_days').selectAll().orderBy('day').execute()
  return rows.map((row) => ({ ...row, volume_usd: Number(row.volume_usd).toFixed(2) }))
}
const complete = () => db.transaction().execute(completeDays)
const days = await readDays()
const [first, second] = days as [(typeof days)[number], (typeof days)[number]]

t.test('days that have all trades are not computed again', async (t) => {
  await sql`update launchpad_days set volume = 1`.execute(db)
  await complete()
  t.equal((await readDays())[0]?.volume, '1')
})

t.test('days of a version before are computed from the stored trades', async (t) => {
  await db.deleteFrom('launchpad_days').execute()
  await complete()
  t.same(await readDays(), days)
  await sql`update launchpad_days set trades = trades - 1, volume = volume - 7 where day = ${second.day}`.execute(db)
  await complete()
  t.same(await readDays(), days)
})

t.test('a day with archived trades has the sums of its candles, and no fees', async (t) => {
  await db
    .insertInto('archives')
    .values({
      ...{ partition: 'trades_p0', parent: 'trades', first: 0, stop: 1, state: 'archived' },
      ...{ first_time: first.day + 60, last_time: second.day - 1 },
    })
    .execute()
  await db.deleteFrom('launchpad_days').execute()
  await sql`delete from trades where block_time < ${second.day - 3_600}`.execute(db)
  await complete()
  t.same(await readDays(), [{ ...first, protocol_fees: null, creator_fees: null }, ...days.slice(1)])
  t.ok(first.day + DAY === second.day)
})
