import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { prepared } from '../../db/postgres/prepared.ts'
import { findTokens } from '../../db/queries/tokens.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'
import { tokenAddress } from '../support/market-simulation.ts'

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

t.test('a prepared statement returns the same rows as the unprepared one', async (t) => {
  await sql`create table parts (name text, size bigint, price numeric, at timestamptz, found boolean)`.execute(db)
  await sql`insert into parts values ('a', 1, 1.50, '2026-11-20T09:30:00Z', true), (null, null, null, null, null)`.execute(
    db,
  )
  const statement = sql<object>`select p.*, size as name from parts p order by p.name`
  const read = async () => {
    const { rows } = await prepared(statement).execute(db)
    t.strictSame(rows, (await statement.execute(db)).rows)
    return rows.map((row) => Object.keys(row))
  }
  t.same(await read(), Array(2).fill(['name', 'size', 'price', 'at', 'found']))
})

t.test('the stack of an error contains the function that executed the statement', async (t) => {
  const statement = sql<object>`select 1 / (select count(*) from parts where name = 'none') as ratio`
  const divideUnprepared = async () => await statement.execute(db)
  const dividePrepared = async () => await prepared(statement).execute(db)
  for (const divide of [divideUnprepared, dividePrepared])
    await t.rejects(divide(), { code: '22012', stack: new RegExp(`at async ${divide.name}`) })
})

t.test('a value that cannot be parsed fails the statement, and the connection stays usable', async (t) => {
  const { INET } = pg.types.builtins
  const parse = pg.types.getTypeParser(INET)
  t.teardown(() => pg.types.setTypeParser(INET, parse))
  pg.types.setTypeParser(INET, () => {
    throw new Error('No address')
  })
  const statement = sql<object>`select '127.0.0.1'::inet as address`
  for (const read of [statement, prepared(statement)]) await t.rejects(read.execute(db), { message: 'No address' })
  t.same((await add(1, 2).execute(db)).rows, [{ sum: 3 }])
})

t.test(
  'the rows of a prepared statement follow the columns of each connection',
  { skip: serverUrl === null && 'PGlite has one connection' },
  async (t) => {
    const statement = sql<object>`select * from samples`
    const read = async (one: typeof db, columns: string) => {
      await sql`create temporary table samples as select ${sql.raw(columns)}`.execute(one)
      const { rows } = await prepared(statement).execute(one)
      t.strictSame(rows, (await statement.execute(one)).rows)
      t.equal(rows.length, 1)
    }
    await db.connection().execute(async (one) => {
      await read(one, `'a' as name, 1 as size`)
      await db.connection().execute((other) => read(other, `2 as size, 'b' as name, true as found`))
    })
  },
)

t.test(
  'PostgreSQL prepares a statement once per connection',
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

t.test(
  'PostgreSQL uses a generic plan to read tokens after five executions on a connection',
  { skip: serverUrl === null && 'PGlite plans each time' },
  async (t) => {
    await db.connection().execute(async (one) => {
      // PostgreSQL compares costs after five executions that are planned each.
      for (let time = 0; time < 12; time++) await findTokens(one, [tokenAddress(time)])
      const { rows } = await sql<{ custom_plans: number; generic_plans: number }>`
        select custom_plans, generic_plans from pg_prepared_statements where statement like '%token_figures%'`.execute(
        one,
      )
      t.same(rows, [{ custom_plans: 5, generic_plans: 7 }])
    })
  },
)
