import { sql } from 'kysely'
import t from 'tap'
import { modules } from '../../indexer/modules.ts'
import { createTestDatabase } from '../support/database.ts'
import { readNamesInCalls } from '../support/read-sources.ts'

/*
 * After a reorg, another launch may have the address of a token. Rows about a token that the indexer does not derive belong to
 * a launch, by its number: see docs/data-model.md.
 */

/** Tables that name tokens by address on purpose. */
const exceptions: Record<string, string> = {
  actions: 'derived from the chain by every module',
  audit_log: 'records what operators did to an address',
  deployments: 'contracts that are followed, which no launch replaces',
  metadata_reads: 'a queue: what is read is of the launch that the address has then, and each launch requests a read',
  notifications: 'has a number for likes only; those of the chain are deleted with their event',
  quotes: 'names assets in which tokens are priced',
  token_ids: 'gives launches their numbers',
}
/** Tables that test/indexer/creations.test.ts covers, by a reorg. */
const covered = ['token_metadata']

const { db } = await createTestDatabase(t)
const { rows } = await sql<{ name: string; named: boolean; numbered: boolean; keyed: boolean; omissible: boolean }>`
  select c.relname as name,
    bool_or(a.atttypid = 'text'::regtype and a.attname ~ '^(token|address|subject)$|_(token|subject)$') as named,
    bool_or(a.attname = 'token_id' and a.attnotnull) as numbered,
    bool_or(a.attname = 'token_id' and a.attnum = k.conkey[1]) as keyed,
    bool_or(a.attname = 'token_id' and a.atthasdef) as omissible
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  group by c.oid, c.relname
  order by c.relname`.execute(db)
/** Sums over trades of final blocks: no launch of theirs is replaced. */
const archived = ['archived_pairs', 'archived_tokens']
const derived = new Set<string>([...modules.flatMap((module) => module.derived), ...archived])
const content = rows.filter(
  ({ name, named, numbered }) => (named || numbered) && !derived.has(name) && !(name in exceptions),
)

t.test('tables of user data about a token have its number first in their primary key', async (t) => {
  t.strictSame(
    Object.keys(exceptions).filter((name) => !rows.some((table) => table.name === name && table.named)),
    [],
  )
  t.ok(content.length > 3)
  for (const { name, named, numbered, keyed, omissible } of content) {
    t.notOk(named, `${name} names no token by its address`)
    t.ok(numbered, `${name} has a column token_id that is not null`)
    t.ok(keyed, `the primary key of ${name} begins with token_id`)
    t.notOk(omissible, `a statement that omits the token_id of ${name} fails`)
  }
})

t.test('every table of user data about a token has a test that replaces its launch', async (t) => {
  const names = [...covered, ...(await readNamesInCalls('replaceLaunch'))]
  t.strictSame(
    content.map(({ name }) => name).filter((name) => !names.includes(name)),
    [],
    'call replaceLaunch with the table, and check that its rows are hidden',
  )
})
