import t, { type Test } from 'tap'
import { type Address, type Hex, parseEther } from 'viem'
import { audit } from '../../audit/audit.ts'
import type { RpcLog } from '../../chain/logs/log.ts'
import { Chain } from '../../chain/rpc/client.ts'
import type { Db } from '../../db/client.ts'
import { getStatistics } from '../../db/queries/statistics/statistics.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { LeaseLostError } from '../../indexer/engine/errors.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import { BlockProver, type ProofOutcome } from '../../indexer/engine/prove-blocks.ts'
import { runProofs } from '../../indexer/engine/run-proofs.ts'
import { startIndexer } from '../../indexer/start.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { failure, on, startHostileNode } from '../support/hostile/node.ts'
import { topics } from '../support/launchpads/topics.ts'
import { waitUntil } from '../support/waits/wait-until.ts'
import { type Falsified, falsifyRanges } from './fixtures/false-ranges.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

const test = await startChain(t, { env: { PROOF_REQUESTS_PER_SECOND: '100000', POLL_INTERVAL_MS: '20' } })
const { node, accounts, contracts } = test
const [, ann, bob] = accounts as [Address, Address, Address]
const act = makeActions(test.deployed)
const hostile = await startHostileNode(t, test.anvil.url)
t.afterEach(() => hostile.follow())
const { batch, launch } = await playMarket(test)
// More blocks than are proven in one step, and enough above that the trades are in ranges.
for (let left = 70; left > 0; left--) await node.mine()
const [last] = await node.run(act.launch(ann, 'LAST', parseEther('0.1')))
for (let left = 14; left > 0; left--) await node.mine()
const head = await node.height()

const connect = () => new Chain([hostile.url], { retries: 0 })
const isSame = (a: RpcLog, b: RpcLog) => a.blockHash === b.blockHash && a.logIndex === b.logIndex
const find = (logs: readonly RpcLog[], topic: Hex) => logs.find((log) => log.topics[0] === topic)!
const sold = find(batch.receipt.logs, topics.sell)
const moved = find(last!.logs, topics.transfer)
const place = { logIndex: '0xfff' } as const
const noReceipts = on('eth_getBlockReceipts', () => failure(-32_601, 'The method does not exist'))

/** A database that was indexed from false answers for ranges. */
async function indexFalsified(t: Test, falsified: Falsified): Promise<Db> {
  const { db } = await createTestDatabase(t)
  hostile.follow(falsifyRanges(falsified))
  await indexToHead(db, { ...test, chain: connect() })
  hostile.follow()
  return db
}

/** Steps of the background pass until nothing is left to prove, or `until` holds. */
async function prove(db: Db, chain = connect(), until: (outcome: ProofOutcome) => boolean = () => false) {
  const prover = new BlockProver({ db, chain, contracts })
  const outcomes: ProofOutcome[] = []
  for (;;) {
    const { outcome } = await prover.step()
    outcomes.push(outcome)
    if (outcome === 'done' || until(outcome)) return outcomes
  }
}

async function expectFresh(t: Test, db: Db) {
  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, test)
  t.strictSame(diffTables(await readTables(db), await readTables(fresh.db)), [])
  const lines: string[] = []
  await audit({ ...test, db, onDifference: (line) => lines.push(line) })
  t.strictSame(lines, [], 'the audit is clean')
}

const readProven = async (db: Db) => {
  const { proven_number, proofs } = await getStatistics(db)
  return { proven_number, proofs }
}

t.test(
  'blocks of a backfill are unproven, blocks near the head are proven, and receipts of few blocks are read',
  async (t) => {
    const db = await indexFalsified(t, {})
    t.match(await readProven(db), { proven_number: contracts.startBlock - 1, proofs: 'running' })
    const before = hostile.calls.get('eth_getBlockReceipts') ?? 0
    t.strictSame(new Set(await prove(db)), new Set(['proven', 'done']))
    t.match(await readProven(db), { proven_number: head, proofs: 'complete' })
    t.ok((hostile.calls.get('eth_getBlockReceipts') ?? 0) - before < 40, 'empty blocks need no receipts')
    await expectFresh(t, db)
  },
)

t.test('omitted logs of a range are applied and forged logs removed, even after a kill', async (t) => {
  const db = await indexFalsified(t, {
    drop: (log) => isSame(log, sold),
    add: [{ ...moved, ...place }],
  })
  t.not((await readProven(db)).proven_number, head)
  // Killed after the first step, and when a rebuild was due.
  t.strictSame(await prove(db, connect(), () => true), ['proven'])
  const { proven_number: reached } = await readProven(db)
  t.ok(reached! >= contracts.startBlock && reached! < Number(last!.blockNumber))
  let left = Math.ceil((Number(last!.blockNumber) - reached!) / 32)
  await prove(db, connect(), () => --left === 0)
  const beforeRebuild = (await readProven(db)).proven_number
  t.ok(beforeRebuild! >= reached! && beforeRebuild! < Number(last!.blockNumber), 'nothing is proven before the rebuild')
  t.strictSame((await prove(db)).slice(-2), ['rebuilt', 'done'])
  t.match(await readProven(db), { proven_number: head, proofs: 'complete' })
  await expectFresh(t, db)
})

t.test('blocks above an omitted launch are proven again', async (t) => {
  const db = await indexFalsified(t, { drop: (log) => isSame(log, find(launch.logs, topics.create)) })
  const outcomes = await prove(db)
  t.strictSame(
    outcomes.filter((outcome) => outcome !== 'proven'),
    ['rebuilt', 'done'],
  )
  t.match(await readProven(db), { proven_number: head, proofs: 'complete' })
  await expectFresh(t, db)
})

t.test('without receipts no block is proven, and the pass continues when receipts are available', async (t) => {
  const db = await indexFalsified(t, { drop: (log) => isSame(log, sold) })
  hostile.follow(noReceipts)
  const without = connect()
  const outcomes = await prove(db, without)
  t.ok(outcomes.includes('skipped') && !outcomes.includes('proven'))
  t.equal(await without.canProveLogs(), false)
  t.equal((await readProven(db)).proven_number, contracts.startBlock - 1)
  hostile.follow()
  await prove(db)
  await expectFresh(t, db)
})

t.test('the indexer proves blocks in the background, or reports that proofs are unsupported', async (t) => {
  const { db, ...database } = await createTestDatabase(t)
  hostile.follow(falsifyRanges({ drop: (log) => isSame(log, sold) }), noReceipts)
  const warnings: { text: string; fields: object }[] = []
  const log = {
    info: () => {},
    warn: (fields: object, text: string) => void warnings.push({ text, fields }),
    error: () => {},
  }
  const found: number[] = []
  const start = () =>
    startIndexer({
      database: { db, ...database },
      chain: connect(),
      config: test.config,
      log,
      getContracts: async () => contracts,
      onDifference: ({ missing }) => void found.push(missing.length),
    })
  const without = start()
  await waitUntil('it is unsupported', async () => (await readProven(db)).proofs === 'unsupported')
  await without.stop()
  hostile.follow()
  const indexer = start()
  await waitUntil('all is proven', async () => (await readProven(db)).proofs === 'complete')
  await indexer.stop()
  t.strictSame(found, [1])
  const { fields } = warnings.find(({ text }) => text.includes('differs from the chain'))!
  t.strictSame(fields, {
    block: Number(sold.blockNumber),
    missing: 1,
    forged: 0,
    logs: [`${sold.transactionHash}/${Number(sold.logIndex)}`],
  })
  await expectFresh(t, db)
})

t.test('proofs stop when the lease is lost, and are retried after other failures', async (t) => {
  const { db } = await createTestDatabase(t)
  await indexToHead(db, test)
  // So that the state is stored at the start.
  await db.updateTable('chain_state').set({ proofs: 'off' }).execute()
  const run = async (failure: Error) => {
    const warnings: string[] = []
    const stopping = new AbortController()
    const warn = (_: object, text: string) => {
      warnings.push(text)
      stopping.abort()
    }
    await runProofs({
      ...{ db, chain: connect(), contracts, fence: async () => {}, requestsPerSecond: 100, isCaughtUp: () => true },
      transact: () => Promise.reject(failure),
      ...{ log: { info: () => {}, warn }, signal: stopping.signal },
    })
    return warnings
  }
  t.same(await run(new LeaseLostError('Another process has taken over')), [])
  t.match(await run(new Error('The database is away')), [/^Blocks could not be proven/])
})

t.test('a failed proof is tried again after a while, a second one after twice as long', async (t) => {
  const { db } = await createTestDatabase(t)
  await indexToHead(db, test)
  await db.updateTable('chain_state').set({ proofs: 'off' }).execute()
  const stopping = new AbortController()
  const waits: number[] = []
  const tries: number[] = []
  await runProofs({
    ...{ db, chain: connect(), contracts, fence: async () => {}, requestsPerSecond: 100, isCaughtUp: () => true },
    transact: () => {
      tries.push(performance.now())
      return Promise.reject(new Error('The database is away'))
    },
    log: {
      info: () => {},
      warn: ({ retryInMs }: { retryInMs?: number }) => {
        waits.push(retryInMs ?? 0)
        if (waits.length === 2) stopping.abort()
      },
    },
    signal: stopping.signal,
  })
  const [first = 0, second] = waits
  t.ok(first > 0)
  t.equal(second, 2 * first)
  t.ok((tries[1] ?? 0) - (tries[0] ?? 0) >= first - 1, 'a timer may be a millisecond early')
})

// Last, because it changes the chain.
t.test('a proof pass waits for the follower after a reorg, then completes', async (t) => {
  const db = await indexFalsified(t, { drop: (log) => isSame(log, find(last!.logs, topics.create)) })
  const chain = connect()
  const indexed = await prepareChainState(db, chain, contracts, test.config)
  const follower = new Follower({ db, chain, contracts: indexed, finality: test.config.finality })
  const prover = new BlockProver({ db, chain, contracts })
  const token = launchedToken(last!)
  await node.run(act.transfer(ann, token, bob, 7n))
  while ((await follower.step()) === 'again') {
    // Another step.
  }
  // Until everything above the launch is proven again.
  for (let rebuilt = false; !rebuilt; ) rebuilt = (await prover.step()).outcome === 'rebuilt'
  await node.reorg(3, [{ action: act.transfer(ann, token, bob, 9n), block: 1 }])
  await node.mine()
  t.equal((await prover.step()).outcome, 'moved', 'it waits for the follower')
  while ((await follower.step()) === 'again') {
    // Another step.
  }
  for (let outcome: ProofOutcome = 'proven'; outcome !== 'done'; ) outcome = (await prover.step()).outcome
  t.match(await readProven(db), { proofs: 'complete' })
  await expectFresh(t, db)
})
