import { sql } from 'kysely'
import t from 'tap'
import { prepared } from '../../db/prepared.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'

const { db } = await createTestDatabase(t)
const add = (a: number, b: number) => prepared(sql<{ sum: number }>`select ${a}::integer + ${b}::integer as sum`)

t.test('a prepared statement uses the parameters of each execution', async (t) => {
  for (const [a, b] of [
    [1, 2],
    [3, 4],
    [5, 6],
  ] as const) {
    const { rows } = await add(a, b).execute(db)
    t.same(rows, [{ sum: a + b }])
  }
})

t.test(
  'PostgreSQL prepares it once a connection',
  { skip: serverUrl === null && 'PGlite plans each time' },
  async (t) => {
    await db.connection().execute(async (one) => {
      for (let time = 0; time < 3; time++) await add(time, time).execute(one)
      await sql`select 1 as one`.execute(one)
      const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(one)
      t.equal(rows.filter(({ statement }) => statement.includes('as sum')).length, 1)
      t.notOk(
        rows.some(({ statement }) => statement === 'select 1 as one'),
        'others are not kept',
      )
    })
  },
)
