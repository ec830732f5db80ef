import { sql } from 'kysely'
import t from 'tap'
import { executeSpread } from '../../db/citus/execute-spread.ts'
import { createTestDatabase } from '../support/database.ts'

type Row = { from: string }
const row = (from: string) => sql<Row>`select ${from}::text as "from"`
/** PostgreSQL refuses it by the code that Citus uses as well: feature_not_supported. */
const unsupported = sql<Row>`select count(*)::text as "from" from tokens for update`

t.test('a statement runs as it is, and in its other form from the first one on that is not supported', async (t) => {
  const { db } = await createTestDatabase(t)
  const run = (statement: typeof unsupported) => executeSpread(db, statement, () => row('all servers'))
  t.strictSame(await run(row('one server')), [{ from: 'one server' }])
  await t.rejects(run(sql<Row>`select 1 / 0`), { code: '22012' }, 'another error is no reason')
  t.strictSame(await run(row('one server')), [{ from: 'one server' }])
  t.strictSame(await run(unsupported), [{ from: 'all servers' }])
  t.strictSame(await run(row('one server')), [{ from: 'all servers' }], 'it is not tried again')
})
