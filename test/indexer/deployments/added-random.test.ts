import t from 'tap'
import type { Address, Hex } from 'viem'
import type { Transact } from '../../../db/client.ts'
import { AppError } from '../../../errors.ts'
import { resolveContracts } from '../../../indexer/contracts.ts'
import { prepareChainState } from '../../../indexer/engine/contracts.ts'
import { backfillDeployments } from '../../../indexer/engine/deployments/backfill-deployments.ts'
import { hasAdded } from '../../../indexer/engine/deployments/follow-added.ts'
import type { Follower } from '../../../indexer/engine/follow.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { syncTransaction } from '../../../indexer/engine/sync.ts'
import { modules } from '../../../indexer/modules.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { auditLines } from '../fixtures/audited.ts'
import { createFollower } from '../fixtures/follower.ts'
import { indexToHead } from '../fixtures/indexing.ts'
import { startAllLaunchpads } from '../fixtures/launchpads/all-launchpads.ts'
import { makePads } from '../fixtures/launchpads/random-launchpads.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const ROUNDS = 70
/** Of reorgs, in blocks. */
const MAX_DEPTH = 3
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
const log = { info: () => {}, warn: () => {}, error: () => {} }

class Killed extends Error {}

function expectAppError(error: unknown): 0 {
  if (!(error instanceof AppError)) throw error
  return 0
}

t.test(
  `launchpads added while their tokens are traded are indexed as by a fresh database (SEED=${SEED})`,
  async (t) => {
    const random = createRandom(SEED)
    const run = await startAllLaunchpads(t, random)
    const { node, wallets, test, chain } = run
    const pads = makePads(test, run, wallets, random)
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T

    // Beside our own launchpad, only what the others need is configured.
    const added = test.config.deployments.filter(
      ({ kind, address }) =>
        ['clanker-v31', 'clanker-v4', 'nad-fun', 'four-meme', 'flap'].includes(kind) || address === run.quoted.address,
    )
    const config = { ...test.config, deployments: test.config.deployments.filter((one) => !added.includes(one)) }
    const contracts = await resolveContracts(chain, config)
    const { db } = await createTestDatabase(t)
    const waiting = [...added]
    const followed: typeof added = []
    const count = { reorgs: 0, receipts: 0, kills: 0, slices: 0 }

    let follower: Promise<Follower> | undefined
    const open = async () => {
      const indexed = await prepareChainState(db, chain, contracts, config)
      return createFollower({ db, chain, contracts: indexed, finality: config.finality })
    }
    /** What has begun to follow an addition opens its follower again, as the leading process does. */
    const getFollower = async (): Promise<Follower> => {
      if (follower === undefined || (await hasAdded(db, modules))) follower = open()
      return follower
    }
    const index = async () => {
      const own = await getFollower()
      while ((await own.step()) === 'again') {
        // Another step.
      }
    }
    /** Some batches of the backfills; a kill comes before the commit of the last one, or after it. */
    const backfillSome = async (batches: number) => {
      const stopping = new AbortController()
      const death = pick([undefined, 'before', 'after'] as const)
      let left = batches
      const transact: Transact = async (work) => {
        left -= 1
        if (left > 0) return db.transaction().execute(work)
        stopping.abort()
        const result = await db.transaction().execute(async (trx) => {
          const written = await work(trx)
          if (death === 'before') throw new Killed()
          return written
        })
        count.kills += 1
        if (death === 'after') throw new Killed()
        return result
      }
      await getFollower()
      const indexed = await prepareChainState(db, chain, contracts, config)
      const sizes = { firstSpan: 1 + random(8), batchLogs: 1 + random(40) }
      await backfillDeployments({ db, chain, contracts: indexed, transact, log, signal: stopping.signal, sizes })
      count.slices += 1
    }
    const trySync = async (txHash: Hex, wallet: Address, kind: string) => {
      const services = { db, chain, getContracts: async () => contracts }
      const request = { txHash, wallet: wallet.toLowerCase(), kind }
      count.receipts += await syncTransaction(services, request).then(() => 1, expectAppError)
    }

    for (const pad of pads) await pad.create(pick(wallets))
    // No reorg drops these launches.
    for (let block = 0; block < MAX_DEPTH; block++) await node.mine()
    await index()
    for (let round = 0; round < ROUNDS; round++) {
      const plays = pads.flatMap(({ play }) => Array.from({ length: 1 + random(2) }, () => play(pick(wallets))))
      const hashes = await node.send(plays.flatMap((play) => play.actions))
      if (random(100) < 30) {
        const from = pick(wallets)
        const hash = await pick(pads).create(from)
        if (random(100) < 30) await trySync(hash, from, 'create')
      } else await node.mine(pick([1, 5, 300, 4_000, 30_000]))
      let sent = 0
      for (const play of plays) {
        sent += play.actions.length
        const hash = hashes[sent - 1]
        if (hash && random(100) < 8) await trySync(hash, play.from, play.kind)
      }
      if (round > 20 && waiting.length > 0 && random(100) < 25) {
        const deployment = waiting.splice(random(waiting.length), 1)[0]!
        followed.push(deployment)
        const { address, kind, startBlock } = deployment
        await db
          .insertInto('deployments')
          .values({ address, kind, start_block: startBlock, added_by: wallets[0]! })
          .execute()
      }
      if (random(100) < 45) await index()
      if (random(100) < 50) await Promise.all([backfillSome(1 + random(5)), ...(random(2) === 0 ? [index()] : [])])
      if (random(100) < 12) {
        await node.reorg(1 + random(MAX_DEPTH))
        count.reorgs += 1
        await index()
      }
    }
    t.same(waiting, [], 'all were added')
    await index()
    await backfillSome(1_000_000)
    await indexToHead(db, { chain, config, contracts })
    const incomplete = await db.selectFrom('deployments').selectAll().where('completed_at', 'is', null).execute()
    t.same(incomplete, [], 'all are complete')

    const fresh = await createTestDatabase(t)
    const whole = { ...config, deployments: [...config.deployments, ...followed] }
    await indexToHead(fresh.db, { chain, config: whole, contracts: await resolveContracts(chain, whole) })
    const [tables, expected] = [await readTables(db), await readTables(fresh.db)]
    t.strictSame(diffTables(tables, expected).slice(0, 20), [])
    t.strictSame((await auditLines(db, { chain, contracts })).slice(0, 20), [], 'the audit is clean')
    await reindex(db, modules)
    t.strictSame(diffTables(await readTables(db), expected).slice(0, 20), [], 'after a rebuild')
    t.comment(JSON.stringify(count))
    t.ok(count.reorgs > 0 && count.receipts > 0 && count.kills > 0)
  },
)
