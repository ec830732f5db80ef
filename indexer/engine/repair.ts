import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import { formatUsd } from '../../chain/amounts.ts'
import type { Chain } from '../../chain/client.ts'
import { lockForApply } from '../../db/apply-lock.ts'
import type { Db } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'
import { applyBatch } from './apply.ts'
import type { Block } from './batch.ts'
import { mergeStored, readStored, writeBlocks } from './blocks.ts'
import { isRetryableConflict } from './conflicts.ts'
import type { Contracts } from './contracts.ts'
import { openDecoders } from './decode.ts'
import { Fetcher } from './fetch.ts'
import { getLinkedHeaders } from './find-fork.ts'
import { reindex } from './reindex.ts'

const BLOCKS_AT_ONCE = 64

export interface RepairOptions {
  db: Db
  chain: Chain
  contracts: Contracts
  /** Heights, inclusive; default: from the first block with a contract to the checkpoint. */
  from?: number
  to?: number
  /** Counts, and writes nothing. */
  dryRun?: boolean
  onProgress?: (progress: Repaired) => void
}

export interface Repaired {
  /** The last block compared. */
  block: number
  /** The end: the checkpoint if an unknown contract was found, whose later logs are missing as well. */
  to: number
  missingLogs: number
  missingPrices: number
  /** Whether all derived tables were rebuilt. */
  rebuilt: boolean
}

/**
 * Fetches indexed blocks again, each by its hash, and applies logs that are not stored; missing prices are requested
 * again. Logs that cannot be applied out of order (a missed launch, a price of applied events) are stored, and all
 * derived tables are rebuilt in one transaction.
 */
export async function repair(options: RepairOptions): Promise<Repaired> {
  const { db, chain, contracts, dryRun = false, onProgress } = options
  const state = await db.selectFrom('chain_state').select('checkpoint_number').executeTakeFirstOrThrow()
  const from = Math.max(options.from ?? contracts.startBlock, contracts.startBlock)
  const done: Repaired = {
    block: from - 1,
    to: Math.min(options.to ?? state.checkpoint_number, state.checkpoint_number),
    missingLogs: 0,
    missingPrices: 0,
    rebuilt: false,
  }
  const fetcher = await Fetcher.open(db, chain, contracts, from - 1)
  const stored: Block[] = []
  const priced: Block[] = []
  while (done.block < done.to) {
    const end = Math.min(done.block + BLOCKS_AT_ONCE, done.to)
    const blocks = await fetcher.fetchBlocks(await getLinkedHeaders(chain, done.block + 1, end))
    const { missing, unpriced } = await compare(db, contracts, blocks)
    done.missingLogs += missing.reduce((sum, { logs }) => sum + logs.length, 0)
    done.missingPrices += unpriced.length
    priced.push(...unpriced)
    if (!dryRun && missing.length > 0) {
      const apply = (trx: Transaction<Database>) => applyBatch(trx, { blocks: missing, advance: null })
      await db
        .transaction()
        .execute(apply)
        .catch((error: unknown) => {
          if (!isRetryableConflict(error)) throw error
          stored.push(...missing)
        })
    }
    // The launchpad's logs are stored, but the token's later logs were not fetched.
    if (fetcher.launchedCount > 0) done.to = state.checkpoint_number
    done.block = end
    onProgress?.({ ...done })
  }
  const isWrong = stored.length + priced.length > 0 || (fetcher.launchedCount > 0 && done.missingLogs > 0)
  if (dryRun || !isWrong) return done
  const { quoteUsd: latest } = fetcher
  await reindex(db, undefined, async (trx) => {
    await lockForApply(trx)
    if (latest !== null) {
      await sql`update chain_state set quote_usd = ${formatUsd(latest)}::numeric
        where quote_usd is null and checkpoint_number = ${done.to}`.execute(trx)
    }
    await writeBlocks(trx, await mergeStored(trx, stored))
    for (const { number, quoteUsd } of priced) {
      await sql`update blocks set quote_usd = ${formatUsd(quoteUsd ?? 0n)}::numeric where number = ${number}`.execute(
        trx,
      )
    }
  })
  return { ...done, rebuilt: true }
}

/** For each block, the indexed logs that are not stored; and the stored blocks without a price that have one now. */
async function compare(db: Db, contracts: Contracts, blocks: readonly Block[]) {
  const stored = await readStored(
    db,
    blocks.map(({ number }) => number),
  )
  const { isIndexed } = await openDecoders(db, contracts, blocks)
  const missing: Block[] = []
  const unpriced: Block[] = []
  for (const block of blocks) {
    const row = stored.get(block.number)
    if (row && row.hash !== block.hash) {
      throw new Error(
        `Block ${block.number} is stored as ${row.hash}, and the chain has ${block.hash}: let the indexer follow first`,
      )
    }
    const known = new Set(row?.logs.map(({ logIndex }) => logIndex))
    const logs = block.logs.filter((log) => !known.has(log.logIndex) && isIndexed(block.number, log))
    if (logs.length > 0) missing.push({ ...block, logs })
    if (row && row.logs.length > 0 && row.quoteUsd === null && block.quoteUsd !== null) unpriced.push(block)
  }
  return { missing, unpriced }
}
