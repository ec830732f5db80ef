import { sql } from 'kysely'
import t from 'tap'
import { createTestDatabase } from '../support/database.ts'

/* How the rows of a table would be spread over several servers, which its comment says, decides what its keys may be. */
const { db } = await createTestDatabase(t)

interface Table {
  name: string
  spread: string | null
  /** The columns of its primary key, and of each other unique index. */
  keys: string[][]
  triggers: string[]
  /** The tables that its foreign keys refer to. */
  references: string[]
}

const { rows: tables } = await sql<Table>`
  select c.relname as name, substring(obj_description(c.oid) from ' Spread: ([a-z ]+)\\.$') as spread,
    (select coalesce(json_agg(columns order by is_primary desc), '[]') from (
      select i.indisprimary as is_primary, (select json_agg(coalesce(a.attname, '') order by k.place)
        from unnest(i.indkey::smallint[]) with ordinality as k (number, place)
        left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number) as columns
      from pg_index i where i.indrelid = c.oid and i.indisunique
    ) unique_indexes) as keys,
    array(select tgname::text from pg_trigger where tgrelid = c.oid and not tgisinternal) as triggers,
    array(select f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
      where k.conrelid = c.oid and k.contype = 'f') as references
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname not like 'kysely%'
  order by c.relname`.execute(db)
const named = new Map(tables.map((table) => [table.name, table]))
const listSpread = (spread: string) => tables.filter((table) => table.spread === spread)

t.test('the comment of every table says how it is spread', async (t) => {
  t.ok(tables.length > 40)
  const kinds = ['by token', 'by wallet', 'reference', 'local']
  for (const { name, spread } of tables) t.ok(spread !== null && kinds.includes(spread), `${name}: ${spread}`)
})

for (const [spread, column] of [
  ['by token', /^token_id$/],
  ['by wallet', /^wallet$/],
] as const) {
  t.test(`a table that is spread ${spread} can be split there`, async (t) => {
    const spreadSo = listSpread(spread)
    t.ok(spreadSo.length >= 1)
    for (const { name, keys, triggers, references } of spreadSo) {
      t.match(keys[0]?.[0], column, `the primary key of ${name} begins with it`)
      for (const key of keys)
        t.ok(
          key.some((part) => column.test(part)),
          `${name} has no unique index without it: ${key}`,
        )
      t.strictSame(triggers, [], `${name} has no trigger`)
      for (const other of references) t.equal(named.get(other)?.spread, spread, `${name} refers to ${other}`)
    }
  })
}

t.test('a table that every server has, or only one, refers to no row that another server may have', async (t) => {
  for (const { name, spread, references } of [...listSpread('reference'), ...listSpread('local')]) {
    for (const other of references)
      t.ok([spread, 'reference'].includes(named.get(other)?.spread ?? ''), `${name} refers to ${other}`)
  }
  for (const { name, triggers } of listSpread('reference')) t.strictSame(triggers, [], `${name} has no trigger`)
})
