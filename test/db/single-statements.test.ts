import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { connectForMigrations } from '../../db/postgres/migrate-server.ts'
import { splitStatements } from '../../db/postgres/single-statements.ts'
import { serverUrl } from '../support/database.ts'

t.test('a text is split into its statements', async (t) => {
  const same = (text: string, statements: string[]) =>
    t.strictSame(
      splitStatements(text).map((statement) => statement.trim()),
      statements,
    )
  same('', [])
  same('select 1', ['select 1'])
  same('select 1;\n select 2; ', ['select 1', 'select 2'])
  same(`select 'it''s; one'; select 2`, [`select 'it''s; one'`, 'select 2'])
  same('select 1 as "a;b"', ['select 1 as "a;b"'])
  same(`-- it's; a comment\nselect 1; select '-- ;'`, [`-- it's; a comment\nselect 1`, `select '-- ;'`])
  same('do $$ begin perform 1; end $$; select $1', ['do $$ begin perform 1; end $$', 'select $1'])
  same('do $a$ begin; $$;$$ end $a$; select 2', ['do $a$ begin; $$;$$ end $a$', 'select 2'])
})

t.test(
  'migrations send each statement by itself, and get the rows of the last one',
  { skip: serverUrl === null && 'the embedded database has no such pool: set TEST_DATABASE_URL' },
  async (t) => {
    const pool = new pg.Pool({ connectionString: serverUrl as string, max: 1 })
    const sent: string[] = []
    pool.on('connect', (client) => {
      const send = client.query.bind(client) as (...args: unknown[]) => unknown
      client.query = ((...args: unknown[]) => {
        sent.push(String(args[0]).trim())
        return send(...args)
      }) as typeof client.query
    })
    const db = connectForMigrations(pool)
    t.teardown(() => db.destroy())
    const { rows } =
      await sql`create temp table one (a integer); insert into one values (1); select a from one`.execute(db)
    t.strictSame(rows, [{ a: 1 }])
    t.strictSame(sent, ['create temp table one (a integer)', 'insert into one values (1)', 'select a from one'])
    t.strictSame((await sql`select ${'a;b'}::text as text`.execute(db)).rows, [{ text: 'a;b' }])
  },
)
