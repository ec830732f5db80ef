import { sql } from 'kysely'
import t from 'tap'
import { openChainState } from '../../indexer/engine/contracts.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'

const WIDTH = 2 ** 22

t.test('the next partitions are created ahead of their first row, and existing ones are kept', async (t) => {
  const { db } = await createTestDatabase(t)
  await sql`insert into chain_state (chain_id, genesis_hash, wrapped_native, contracts, checkpoint_number, checkpoint_time,
    clock_time, head_number, head_time, finalized_number, block_partition)
    values (1, '0x00', '', '{}', 0, 0, 0, 0, 0, 0, ${WIDTH})`.execute(db)
  const list = async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relispartition and relkind = 'r' order by relname`.execute(db)
    return rows.map(({ name }) => name)
  }
  await sql`select make_partitions(array[10, 5000], array[1700000000])`.execute(db)
  const first = ['actions_from_0', 'blocks_from_0', 'candles_from_1697760000', 'trades_from_0']
  t.strictSame(await list(), first)
  await sql`select make_partitions(array[20], array[1700000100])`.execute(db)
  t.strictSame(await list(), first)
  await sql`select make_partitions(array[${WIDTH - 5}]::bigint[], null)`.execute(db)
  t.strictSame(
    (await list()).filter((name) => name.endsWith(`_${WIDTH}`)),
    ['actions', 'blocks', 'trades'].map((table) => `${table}_from_${WIDTH}`),
  )
})

t.test('a partition of a new database holds a month of the chain’s blocks', async (t) => {
  const test = await startChain(t)
  const { node, chain, contracts, config } = test
  const readWidth = async () => {
    const { db } = await createTestDatabase(t)
    await openChainState(db, chain, contracts, config)
    return (await db.selectFrom('chain_state').select('block_partition').executeTakeFirstOrThrow()).block_partition
  }
  t.equal(await readWidth(), 2 ** 20, 'of a young chain that of most chains')
  for (const [seconds, width] of [
    [5, 2 ** 19],
    [2, 2 ** 21],
  ] as const) {
    await node.call('anvil_setBlockTimestampInterval', seconds)
    await node.call('anvil_mine', '0x44c')
    t.equal(await readWidth(), width, `of ${seconds} seconds a block`)
  }
})
