import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Address } from 'viem'
import { audit } from '../../audit/audit.ts'
import { Chain } from '../../chain/rpc/client.ts'
import type { Db, OpenDatabase, Transact } from '../../db/client.ts'
import { LeaseLostError } from '../../indexer/engine/errors.ts'
import { recoverLogs, toRuns } from '../../indexer/engine/recover-logs.ts'
import { reindex } from '../../indexer/engine/reindex.ts'
import { modules } from '../../indexer/modules.ts'
import { startIndexer } from '../../indexer/start.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { on, startHostileNode } from '../support/hostile/node.ts'
import { waitUntil } from '../support/waits/wait-until.ts'
import { launchCompleted, makeMoves, prepareMoves } from './fixtures/graduations.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

const test = await startChain(t)
const { node, contracts } = test
/** Without proofs, which would repair the same blocks. */
const config: typeof test.config = {
  ...test.config,
  finality: { unit: 'blocks', amount: 2 },
  proofRequestsPerSecond: 0,
}
const [, , bob] = test.accounts as [Address, Address, Address]
const mover = await prepareMoves(test)
const completed = await launchCompleted(test, mover, 'ONE')
const { silent, loud } = makeMoves(mover, completed)
await node.run(mover.act.graduate(bob, completed.token))
/** Blocks with logs of the pair and none of its token, which a version before could drop. */
const dropped: number[] = []
for (const move of [...Object.values(silent), ...Object.values(silent)])
  dropped.push(Number((await node.run(move))[0]!.blockNumber))
await node.run(loud.buy)
for (let left = 3; left > 0; left--) await node.mine()

const honest = await createTestDatabase(t)
await indexToHead(honest.db, { ...test, config })
const expected = await readTables(honest.db)

/** Watches the requests for logs of the pair alone: from which blocks on. */
const hostile = await startHostileNode(t, test.anvil.url)
const starts: number[] = []
hostile.follow(
  on('eth_getLogs', ({ params: [filter] }) => {
    const { address, fromBlock } = filter as { address?: string[]; fromBlock?: string }
    if (address?.length === 1 && address[0] === completed.pair) starts.push(Number(fromBlock))
    return undefined
  }),
)
t.beforeEach(() => {
  starts.length = 0
})

const readRecovery = async (db: Db) => {
  const { recovery } = await db.selectFrom('chain_state').select('recovery').executeTakeFirstOrThrow()
  return recovery as { block?: number; recoveredLogs?: number } | null
}

/** A database of a version before, which has lost logs. */
async function createDamaged(t: Test): Promise<OpenDatabase> {
  const database = await createTestDatabase(t)
  const { db } = database
  await indexToHead(db, { ...test, config })
  t.equal(await readRecovery(db), null, 'what this version indexes needs no recovery')
  await sql`delete from blocks where number = any(${dropped}::bigint[])`.execute(db)
  await reindex(db, modules)
  await sql`update chain_state set recovery = '{}'`.execute(db)
  t.not(diffTables(await readTables(db), expected).length, 0, 'figures are wrong')
  return database
}

async function requireWhole(t: Test, db: Db) {
  t.strictSame(diffTables(await readTables(db), expected), [])
  const lines: string[] = []
  await audit({ ...test, db, onDifference: (line) => lines.push(line) })
  t.strictSame(lines, [], 'the audit is clean')
}

const fence = async () => {}
const lines: { fields: object; message: string }[] = []
const write = (fields: object, message: string) => {
  lines.push({ fields, message })
}
const log = { info: write, warn: write, error: write }

t.test('a database with missing pool logs is repaired at its first start with this version', async (t) => {
  const database = await createDamaged(t)
  const { db } = database
  const start = () => {
    const chain = new Chain([hostile.url], { retries: 0 })
    return startIndexer({ database, chain, config, log, getContracts: async () => contracts })
  }
  const first = start()
  await waitUntil('the recovery is done', async () => (await readRecovery(db)) === null)
  await first.stop()
  await requireWhole(t, db)
  t.match(
    lines.find(({ message }) => message.startsWith('Recovered logs')),
    { fields: { recoveredLogs: expectedLogs() } },
  )
  t.ok(starts.length > 0)

  starts.length = 0
  const second = start()
  await waitUntil('it leads', async () => second.status().role === 'leading')
  await second.stop()
  t.same(starts, [], 'the next start compares nothing')
})

/** Number of logs of the dropped blocks. */
function expectedLogs(): number {
  const blocks = expected.get('blocks')!
  return dropped.reduce((sum, number) => sum + Number(blocks.get(String(number))?.log_count ?? 0), 0)
}

t.test('an interrupted recovery continues where it stopped', async (t) => {
  const { db } = await createDamaged(t)
  const chain = new Chain([hostile.url], { retries: 0 })
  const recover = (signal: AbortSignal, transact: Transact) =>
    recoverLogs({ db, chain, contracts, fence, transact, log, signal, firstSpan: 1 })
  const stopping = new AbortController()
  let stores = 0
  await recover(stopping.signal, async (work) => {
    stores += 1
    // The first one stores what is to be compared, the second one the first range.
    if (stores === 3) stopping.abort()
    return db.transaction().execute(work)
  })
  const { block } = (await readRecovery(db)) as { block: number }
  t.ok(block > dropped[0]! && block < dropped.at(-1)!, `interrupted at block ${block}`)
  starts.length = 0
  await recover(new AbortController().signal, (work) => db.transaction().execute(work))
  t.equal(Math.min(...starts), block + 1)
  t.equal(await readRecovery(db), null)
  await requireWhole(t, db)
})

t.test('blocks with missing logs are repaired in runs of consecutive heights, in ascending order', async (t) => {
  t.same(toRuns([]), [])
  t.same(toRuns([7]), [{ from: 7, to: 7 }])
  t.same(toRuns(new Set([10, 3, 9, 11, 100, 1, 2, 99])), [
    { from: 1, to: 3 },
    { from: 9, to: 11 },
    { from: 99, to: 100 },
  ])
})

t.test('the recovery retries after a node failure, and ends when the lease is lost', async (t) => {
  const { db } = await createDamaged(t)
  const chain = new Chain(['http://127.0.0.1:1'], { retries: 0 })
  const stopping = new AbortController()
  const failed: string[] = []
  const warn = (_: object, message: string) => {
    failed.push(message)
    stopping.abort()
  }
  await recoverLogs({
    ...{ db, chain, contracts, fence, log: { ...log, warn }, signal: stopping.signal },
    transact: (work) => db.transaction().execute(work),
  })
  t.match(failed, [/retrying/])
  t.not(await readRecovery(db), null, 'and nothing is taken as done')

  failed.length = 0
  await recoverLogs({
    ...{ db, chain: test.chain, contracts, fence, log: { ...log, warn }, signal: new AbortController().signal },
    transact: () => Promise.reject(new LeaseLostError('Another process has taken over')),
  })
  t.same(failed, [])
  t.not(await readRecovery(db), null, 'the next leader recovers the logs')
})
