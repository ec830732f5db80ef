import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { OpenDatabase } from '../../db/client.ts'
import { openEmbeddedChain } from '../../dev/embedded-chain.ts'
import { callNode } from '../../dev/json-rpc.ts'
import { createTestDatabase } from '../support/database.ts'
import { insertBlocks } from '../support/readable-rows.ts'
import { createFolder, getBlock, openChain } from './support/embedded.ts'
import { createMemoryLog } from './support/market-chain.ts'

t.test('a database is reconciled with a reopened chain', async (t) => {
  const database = await createTestDatabase(t)
  // Whatever it really is, here it is the one beside the chain.
  const embedded: OpenDatabase = { ...database, kind: 'pglite' }
  const isIndexed = async () => (await database.db.selectFrom('chain_state').select('id').execute()).length === 1
  const dataDir = await createFolder(t)
  const chain = await openChain(t, dataDir)
  await chain.reconcileDatabase(embedded)
  for (let blocks = 0; blocks < 5; blocks++) await chain.send()

  await t.test('nothing changes if both are at the same block', async (t) => {
    await index(database, chain.url, 6, 3)
    await chain.reconcileDatabase(embedded)
    t.ok(await isIndexed())
    t.equal(Number((await getBlock(chain.url)).number), 6)
    await reset()
  })

  await t.test('one block is mined if the database is a few blocks ahead, and causes a reorg', async (t) => {
    await index(database, chain.url, 6, 3)
    await callNode(chain.url, 'anvil_rollback', [2])
    await chain.reconcileDatabase(embedded)
    t.ok(await isIndexed())
    t.equal(Number((await getBlock(chain.url)).number), 5)
    await reset()
  })

  await t.test('the embedded database is cleared if it is ahead beyond finality', async (t) => {
    await index(database, chain.url, 5, 4)
    await callNode(chain.url, 'anvil_rollback', [3])
    await t.rejects(chain.reconcileDatabase({ ...database, kind: 'postgres' }), {
      message: /^The database of DATABASE_URL has indexed another chain/,
    })
    t.ok(await isIndexed(), 'not one that is not ours')
    await chain.reconcileDatabase(embedded)
    t.notOk(await isIndexed())
    t.match(chain.log.messages, [/ahead of the chain, which a crash has cut short; it is cleared and indexed again/])
    await reset()
  })

  await t.test('a database of another chain is an error', async (t) => {
    await index(database, chain.url, 2, 1)
    await database.db
      .updateTable('chain_state')
      .set({ genesis_hash: `0x${'ab'.repeat(32)}` })
      .execute()
    await t.rejects(chain.reconcileDatabase(embedded), { message: /has indexed another chain than .+ npm run reset/ })
    t.ok(await isIndexed())
    await reset()
  })

  await t.test('the database of a chain whose history was not completed is cleared', async (t) => {
    const dataDir = await createFolder(t)
    const log = createMemoryLog()
    const lost = await openEmbeddedChain({ dataDir, chainId: 31337, market: true }, log)
    // Indexing begins while the history is made.
    await index(database, lost.rpcUrls[0] as string, 1, 0)
    await Promise.all([t.rejects(lost.completed, { name: 'AbortError' }), lost.close()])
    t.notOk(existsSync(join(dataDir, 'chain', 'state.gz')))
    const again = await openChain(t, dataDir)
    await again.reconcileDatabase(embedded)
    t.match(again.log.messages, [/belongs to a chain that is gone; it is cleared and indexed again/])
    t.notOk(await isIndexed())
    await again.close()
    await reset()
  })

  await t.test('both are created again if the file of the chain is damaged, and the file is kept', async (t) => {
    await index(database, chain.url, 2, 1)
    const madeAt = Number((await getBlock(chain.url, 0)).timestamp)
    await chain.close()
    // Chains that are made in the same second begin with the same block.
    while (Math.floor(Date.now() / 1_000) === madeAt) await sleep(20)
    await writeFile(join(dataDir, 'chain', 'state.gz'), 'damaged')
    const again = await openChain(t, dataDir)
    t.match(again.log.messages, [/^The saved chain cannot be loaded/])
    t.ok((await readdir(join(dataDir, 'chain'))).includes('state.gz.unreadable'))
    await again.reconcileDatabase(embedded)
    t.match(again.log.messages, [
      /^The saved chain cannot be loaded/,
      /belongs to a chain that is gone; it is cleared and indexed again/,
    ])
    t.notOk(await isIndexed())
    await again.close()
    t.notOk(existsSync(join(dataDir, 'chain.lock')))
  })

  await t.test('both are created again if the chain has contracts of another version', async (t) => {
    const file = join(dataDir, 'chain', 'genesis.json')
    const blocks = JSON.parse(await readFile(file, 'utf8')) as { time: number; contracts: string }[]
    await writeFile(file, JSON.stringify(blocks.map((block) => ({ ...block, contracts: 'another' }))))
    while (Math.floor(Date.now() / 1_000) === blocks.at(-1)?.time) await sleep(20)
    const again = await openChain(t, dataDir)
    t.match(again.log.messages, [/^The saved chain cannot be loaded; starting a new chain and database/])
    await again.close()
    const next = await openChain(t, dataDir)
    t.same(next.log.messages, [], 'the new one is kept')
    await next.close()
  })

  async function reset(): Promise<void> {
    await database.db.deleteFrom('chain_state').execute()
    await database.db.deleteFrom('blocks').execute()
  }
})

/** As an indexer would that has read the chain up to a block, and takes another one as final. */
async function index({ db }: OpenDatabase, url: string, checkpoint: number, finalized: number): Promise<void> {
  const genesis = await getBlock(url, 0)
  const { hash } = await getBlock(url, checkpoint)
  await db
    .insertInto('chain_state')
    .values({
      chain_id: 31337,
      genesis_hash: genesis.hash,
      wrapped_native: '0x',
      contracts: '{}',
      checkpoint_number: checkpoint,
      checkpoint_hash: hash,
      checkpoint_time: 0,
      clock_time: 0,
      head_number: checkpoint,
      head_time: 0,
      finalized_number: finalized,
    })
    .execute()
  for (let number = finalized; number <= checkpoint; number++) {
    const block = await getBlock(url, number)
    await insertBlocks(db, [{ number, hash: block.hash, time: 0 }])
  }
}
