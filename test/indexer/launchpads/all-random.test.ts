// All launchpads in one chain. test/long/launchpads/ plays each alone, and longer.
import t from 'tap'
import type { Address, Hex } from 'viem'
import type { Transact } from '../../../db/client.ts'
import { AppError } from '../../../errors.ts'
import { prepareChainState } from '../../../indexer/engine/contracts.ts'
import type { Follower } from '../../../indexer/engine/follow.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import { createTestDatabase } from '../../support/database.ts'
import { setAnswer } from '../../support/launchpads/quoted.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { createFollower } from '../fixtures/follower.ts'
import { indexToHead } from '../fixtures/indexing.ts'
import { startAllLaunchpads } from '../fixtures/launchpads/all-launchpads.ts'
import { makePads } from '../fixtures/launchpads/random-launchpads.ts'
import { diffTables, readTables, type Tables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const ROUNDS = 60
/** Of reorgs, in blocks. */
const MAX_DEPTH = 3
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)

/** Kinds of launchpads, and the decimals of their quotes. */
const GROUPS = [
  'slipway 18',
  'slipway 8',
  'clanker-v31 18',
  'clanker-v4 18',
  'nad-fun 18',
  'four-meme 18',
  'four-meme 6',
  'flap 18',
]

class Killed extends Error {}

function expectAppError(error: unknown): 0 {
  if (!(error instanceof AppError)) throw error
  return 0
}

t.test(`random markets on all launchpads are indexed as by a fresh database (SEED=${SEED})`, async (t) => {
  const random = createRandom(SEED)
  const run = await startAllLaunchpads(t, random)
  const { node, accounts, wallets, db, test, chain, contracts, config, actions, feed, sync } = run
  const pads = makePads(test, run, wallets, random)
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const [owner] = accounts as [Address]
  const count = { reorgs: 0, receipts: 0, kills: 0 }

  // A kill comes before the commit of a transaction, which is lost, or after it, before the follower knows.
  let follower: Follower | undefined
  let death: 'before' | 'after' | undefined
  const transact: Transact = async (work) => {
    const result = await db.transaction().execute(async (trx) => {
      const written = await work(trx)
      if (death === 'before') throw new Killed()
      return written
    })
    if (death === 'after') throw new Killed()
    return result
  }
  const open = async () => {
    const indexed = await prepareChainState(db, chain, contracts, config)
    return createFollower({ ...{ db, chain, transact }, contracts: indexed, finality: config.finality })
  }
  /** To the head, or to a death. */
  const index = async () => {
    death = pick([undefined, undefined, 'before', 'after'] as const)
    follower ??= await open()
    try {
      while ((await follower.step()) === 'again') {
        // Another step.
      }
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      follower = undefined
      count.kills += 1
    }
  }

  const trySync = async (txHash: Hex, from: Address, kind: string) => {
    count.receipts += await sync(txHash, from, kind).then(() => 1, expectAppError)
  }

  for (const pad of pads) await pad.create(pick(wallets))
  // No reorg drops these launches.
  for (let block = 0; block < MAX_DEPTH; block++) await node.mine()
  for (let round = 0; round < ROUNDS; round++) {
    const plays = pads.flatMap(({ play }) => Array.from({ length: 1 + random(2) }, () => play(pick(wallets))))
    if (random(100) < 20) {
      const cents = BigInt(random(400_000))
      const native = actions.setPrice(owner, (200_000n + cents) * 10n ** 6n)
      await node.send([native, setAnswer(owner, feed, (5_000_000n + 10n * cents) * 10n ** 6n)])
    }
    const hashes = await node.send(plays.flatMap((play) => play.actions))
    if (random(100) < 30) {
      // In the block of these trades.
      const from = pick(wallets)
      const hash = await pick(pads).create(from)
      if (random(100) < 40) await trySync(hash, from, 'create')
    } else await node.mine(pick([1, 5, 300, 4_000, 30_000]))
    // Ahead of the indexer. Some have reverted, or are another wallet's.
    let sent = 0
    for (const play of plays) {
      sent += play.actions.length
      const hash = hashes[sent - 1]
      if (hash && random(100) < 15) await trySync(hash, play.from, play.kind)
    }
    if (random(100) < 40) await index()
    if (random(100) < 15) {
      // What was in these blocks is not mined again.
      await node.reorg(1 + random(MAX_DEPTH))
      count.reorgs += 1
      await index()
    }
  }
  await indexToHead(db, test)

  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, test)
  const [tables, expected] = [await readTables(db), await readTables(fresh.db)]
  t.strictSame(diffTables(tables, expected).slice(0, 20), [])
  t.strictSame((await run.findDifferences()).slice(0, 20), [])
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), expected).slice(0, 20), [], 'after a rebuild')
  const counts = countTrades(tables)
  t.comment(JSON.stringify({ ...count, ...counts }))
  // A token of Clanker is in its pool from the start.
  for (const group of GROUPS) t.match(counts[group], { buy: Number, sell: Number, graduated: Number }, group)
  t.ok(count.reorgs > 0 && count.receipts > 0 && count.kills > 0)
})

/** By launchpad and decimals of the quote: trades of each side, and tokens that have graduated. */
function countTrades(tables: Tables): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {}
  const add = (token: unknown, what: unknown) => {
    const { launchpad_kind: kind, quote_decimals: decimals } = tables.get('tokens')!.get(String(token))!
    const group = `${kind} ${decimals}`
    counts[group] = { ...counts[group], [String(what)]: (counts[group]?.[String(what)] ?? 0) + 1 }
  }
  for (const { token, side } of tables.get('readable_trades')!.values()) add(token, side)
  for (const { token, status } of tables.get('readable_token_figures')!.values()) add(token, status)
  return counts
}
