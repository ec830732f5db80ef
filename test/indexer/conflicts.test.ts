import { sql } from 'kysely'
import t from 'tap'
import type { Address } from 'viem'
import { isRetryableConflict, OutOfOrderError } from '../../indexer/engine/errors.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { indexToHead } from './fixtures/indexing.ts'

t.setTimeout(120_000)

t.test('only a conflict between creations on two branches is retryable', async (t) => {
  t.ok(isRetryableConflict(new OutOfOrderError('launched earlier')))
  const violates = (name: string) => `duplicate key value violates unique constraint "${name}"`
  for (const name of ['tokens_pkey', 'tokens_address_key', 'pools_pkey', 'pools_pkey_102011'])
    t.ok(isRetryableConflict({ code: '23505', message: violates(name) }), name)
  for (const name of ['actions_pkey', 'other_tokens_pkey', 'tokens_pkey_new'])
    t.notOk(isRetryableConflict({ code: '23505', message: violates(name) }), name)
  t.notOk(isRetryableConflict({ code: '23514', message: violates('tokens_pkey') }))
  t.notOk(isRetryableConflict(null))
})

t.test('the constraint names of retryable conflicts match those of the database', async (t) => {
  const { db } = await createTestDatabase(t)
  const insert = (tokenId: number) => sql`insert into pools (pool, token_id) values ('\\x01', ${tokenId})`.execute(db)
  await insert(1)
  const error = await insert(2).then(
    () => undefined,
    (error: unknown) => error,
  )
  t.ok(isRetryableConflict(error), 'two tokens in one pool')
  const { rows } = await sql<{ conname: string }>`
    select conname from pg_constraint where conrelid = 'tokens'::regclass and contype in ('p', 'u') order by conname`.execute(
    db,
  )
  t.strictSame(rows, [{ conname: 'tokens_address_key' }, { conname: 'tokens_pkey' }])
})

t.test('a conflict that is not retryable is thrown, and its batch is rolled back', async (t) => {
  const test = await startChain(t)
  const { db } = await createTestDatabase(t)
  await indexToHead(db, test)
  const [, ann] = test.accounts as [Address, Address]
  const [launch] = await test.node.run(makeActions(test.deployed).launch(ann, 'ONE'))
  const block = Number(launch!.blockNumber)
  await sql`select make_partitions(array[${block}::bigint], null)`.execute(db)
  await sql`insert into actions (block_number, log_index, block_time, tx_hash, type, wallet, subject, data)
    select ${block}::bigint, n, 0, '', 'create', '', ${launchedToken(launch!)}, '{}' from generate_series(0, 30) n`.execute(
    db,
  )
  await t.rejects(indexToHead(db, test), { code: '23505', constraint: 'actions_from_0_pkey' })
  t.strictSame(await db.selectFrom('tokens').selectAll().execute(), [])
  await db.deleteFrom('actions').execute()
  await indexToHead(db, test)
  t.equal((await db.selectFrom('tokens').selectAll().execute()).length, 1)
})
