import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import type { Hex } from 'viem'
import type { OpenDatabase } from '../../db/client.ts'
import { callNode } from '../../dev/json-rpc.ts'
import { createEmptyDb } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createFolder, getBlock, openChain } from './support/embedded.ts'

/** A database that nothing has been indexed into. */
const nothing = { db: createEmptyDb(), kind: 'pglite' } as OpenDatabase

// Most of them wait for clocks.
t.jobs = 4

t.test('the embedded chain is restored unchanged each time it is opened', async (t) => {
  const dataDir = await createFolder(t)
  const first = await openChain(t, dataDir)
  await first.reconcileDatabase(nothing)
  t.equal(first.market, null)
  t.match(first.deployments[0], { kind: 'launchpad', startBlock: 1 })
  const genesis = await getBlock(first.url, 0)
  const { blockHash } = await first.send()
  await first.close()

  let last = blockHash
  for (let times = 0; times < 2; times++) {
    const again = await openChain(t, dataDir)
    t.equal((await getBlock(again.url)).hash, last)
    t.equal((await getBlock(again.url, 0)).hash, genesis.hash)
    t.strictSame(again.deployments, first.deployments)
    await again.reconcileDatabase(nothing)
    last = (await again.send()).blockHash
    t.ok(Math.abs(Number((await getBlock(again.url)).timestamp) - Date.now() / 1_000) < 60, 'its clock is right')
    await again.close()
  }
})

t.test('a new embedded chain has a market history that ends now, and keeps it when reopened', async (t) => {
  const dataDir = await createFolder(t)
  const first = await openChain(t, dataDir, { market: true })
  await first.reconcileDatabase(nothing)
  t.match(first.log.messages, [/^Made a chain with a market/])
  const head = await getBlock(first.url)
  t.ok(Number(head.number) > 100)
  t.ok(Math.abs(Number(head.timestamp) - Date.now() / 1_000) < 60)
  await first.send()
  t.ok(Math.abs(Number((await getBlock(first.url)).timestamp) - Date.now() / 1_000) < 60, 'its clock is right')
  first.market?.start()
  await first.close()
  const again = await openChain(t, dataDir, { market: true })
  t.equal((await getBlock(again.url, Number(head.number))).hash, head.hash)
  t.ok(again.market)
  await again.close()
})

t.test('before the indexer stops, the market is stopped and the last block is indexed', async (t) => {
  const chain = await openChain(t, await createFolder(t))
  const { db } = await createTestDatabase(t)
  const head = Number((await chain.send()).blockNumber)
  await sql`insert into chain_state (chain_id, genesis_hash, wrapped_native, contracts, checkpoint_number, checkpoint_hash,
    checkpoint_time, clock_time, head_number, head_time, finalized_number)
    values (31337, '', '', '{}', ${head - 1}, '', 0, 0, ${head - 1}, 0, 0)`.execute(db)
  let isSettled = false
  const settled = chain.settle(db).then(() => {
    isSettled = true
  })
  await getBlock(chain.url)
  await sql`update chain_state set checkpoint_number = checkpoint_number + 1`.execute(db)
  t.equal(isSettled, false, 'it waits for the block')
  await settled
  const { rows } = await sql<{ behind: number }>`select ${head} - checkpoint_number as behind from chain_state`.execute(
    db,
  )
  t.equal(Number(rows[0]?.behind), 0)
  await chain.close()
})

/** Answers false when a file was renamed meanwhile: the chain is being saved. */
const copyWhole = (from: string, to: string): Promise<boolean> =>
  cp(from, to, { recursive: true, force: true }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return false
    },
  )

t.test('the embedded chain is saved while it runs, so that it survives a kill', async (t) => {
  const dataDir = await createFolder(t)
  const first = await openChain(t, dataDir)
  await first.reconcileDatabase(nothing)
  const { blockHash } = await first.send()
  // What a kill leaves behind: the saved file, and a lock whose process is gone.
  const copy = await createFolder(t)
  let hash: Hex | undefined
  for (let attempts = 0; attempts < 50 && hash !== blockHash; attempts++) {
    await sleep(200)
    if (!(await copyWhole(join(dataDir, 'chain'), join(copy, 'chain')))) continue
    await writeFile(join(copy, 'chain.lock'), '999999999')
    const again = await openChain(t, copy)
    hash = (await getBlock(again.url)).hash
    await again.close()
  }
  t.equal(hash, blockHash)
  await first.close()
})

t.test('the embedded chain is open in one process at a time', async (t) => {
  const dataDir = await createFolder(t)
  await writeFile(join(dataDir, 'chain.lock'), String(process.ppid))
  await t.rejects(openChain(t, dataDir), {
    message: new RegExp(
      `^The chain in .+ is in use by process ${process.ppid}\\. Stop that one first, or set DATA_DIR`,
    ),
  })
})

t.test('a transaction that the node left pending is mined', async (t) => {
  const chain = await openChain(t, await createFolder(t))
  await chain.reconcileDatabase(nothing)
  const before = (await getBlock(chain.url)).hash
  await callNode(chain.url, 'evm_setAutomine', [false])
  const [from] = await callNode<Hex[]>(chain.url, 'eth_accounts')
  await callNode(chain.url, 'eth_sendTransaction', [{ from, to: from, gas: '0x5208' }])
  while ((await getBlock(chain.url)).hash === before) await sleep(50)
  t.equal((await callNode<{ pending: Hex }>(chain.url, 'txpool_status')).pending, '0x0')
  await chain.close()
})
