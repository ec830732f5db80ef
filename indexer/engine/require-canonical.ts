import type { Transaction } from 'kysely'
import type { Chain } from '../../chain/client.ts'
import type { Db } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { CONTRADICTED, FinalityError, StaleBatchError } from './apply.ts'
import { type Block, type BlockId, isSame } from './batch.ts'
import type { Contracts } from './contracts.ts'
import { loadRegistry, type Registry } from './registry.ts'

/*
 * A receipt sync reads from the node, and from a database that the indexer writes, while either may change branches. What
 * makes an answer final must be of one branch, that of the chain now; else the client is asked to try again.
 */

interface Services {
  db: Db
  chain: Chain
}

export const RETRY_AFTER_SECONDS = 2

export const pendingError = () => new AppError('TRANSACTION_PENDING', {}, { retryAfter: RETRY_AFTER_SECONDS })

/** Throws what makes the client try again unless the chain has these blocks now. */
export async function requireCanonical(chain: Chain, blocks: readonly BlockId[]): Promise<void> {
  const headers = await Promise.all(blocks.map(({ number }) => chain.getHeader(number)))
  if (blocks.some(({ hash }, index) => headers[index]?.hash !== hash)) throw pendingError()
}

/**
 * Before an answer that is final: that the transaction and what it was judged by are of the branch that the chain has now.
 * Rejects if not, or if what is stored has changed since.
 */
export async function requireCurrentBranch(
  { chain, db }: Services,
  { blocks, contracts, registry }: { blocks: readonly Block[]; contracts: Contracts; registry: Registry },
): Promise<void> {
  // One snapshot, so that the launches and pools belong to the blocks that are compared with the chain.
  const now = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => ({
      registry: await loadRegistry(trx, contracts, blocks),
      stored: await readUnsettled(trx),
    }))
  requireUnchanged(registry, now.registry)
  requireUnchanged(now.registry, registry)
  await requireCanonical(chain, [...now.stored, ...blocks])
}

/**
 * A reorg that the indexer followed meanwhile may have taken away a launch or a graduation that the transaction builds on, and
 * which was not fetched because it was known: then its events would have been refused, and would not come again. Throws
 * StaleBatchError.
 */
export function requireUnchanged(read: Registry, written: Registry): void {
  const isGone =
    [...read.tokens].some(([token, launch]) => !isSame(written.tokens.get(token), launch)) ||
    [...read.pools].some(([pool, { since }]) => !isSame(written.pools.get(pool)?.since, since))
  if (isGone) throw new StaleBatchError('What the transaction builds on has changed since it was read')
}

const readUnsettled = (db: Db | Transaction<Database>): Promise<BlockId[]> =>
  db
    .selectFrom('blocks')
    .select(['number', 'hash'])
    .where('number', '>', (query) => query.selectFrom('chain_state').select('finalized_number'))
    .execute()

/** The newest block that the indexer has found to be on the chain and taken as final; undefined if there is none yet. */
async function readAnchor(db: Db): Promise<BlockId | undefined> {
  const state = await db
    .selectFrom('chain_state')
    .select(['checkpoint_number', 'checkpoint_hash', 'finalized_number'])
    .executeTakeFirst()
  if (!state) return undefined
  const { checkpoint_number: number, checkpoint_hash: hash, finalized_number: finalized } = state
  if (number <= finalized && hash !== null) return { number, hash }
  return db
    .selectFrom('blocks')
    .select(['number', 'hash'])
    .where('number', '<=', Math.min(number, finalized))
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export interface BranchComparison {
  stored: BlockId[]
  canonicalBlocks: BlockId[]
}

/**
 * What is stored of the blocks that are not final, and what the node has at these heights. Throws FinalityError if the node
 * is on a branch that parts below what is final.
 */
export async function compareWithNode({ db, chain }: Services): Promise<BranchComparison> {
  const [anchor, stored] = [await readAnchor(db), await readUnsettled(db)]
  const [settled, ...headers] = await Promise.all([
    anchor && chain.getHeader(anchor.number),
    ...stored.map(({ number }) => chain.getHeader(number)),
  ])
  // A node that is not that high lags behind: it cannot tell on which branch it is.
  if (settled === null) throw pendingError()
  if (settled?.hash !== anchor?.hash) throw new FinalityError(CONTRADICTED)
  return { stored, canonicalBlocks: headers.filter((header) => header != null) }
}
