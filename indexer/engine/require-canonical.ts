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
 * A receipt sync reads from the node and from the database while either may switch branches. A final response requires
 * that both are on the canonical branch; otherwise the client is asked to retry.
 */

interface Services {
  db: Db
  chain: Chain
}

export const RETRY_AFTER_SECONDS = 2

export const pendingError = () => new AppError('TRANSACTION_PENDING', {}, { retryAfter: RETRY_AFTER_SECONDS })

/** Throws TRANSACTION_PENDING unless these blocks are on the chain now. */
export async function requireCanonical(chain: Chain, blocks: readonly BlockId[]): Promise<void> {
  const headers = await Promise.all(blocks.map(({ number }) => chain.getHeader(number)))
  if (blocks.some(({ hash }, index) => headers[index]?.hash !== hash)) throw pendingError()
}

/**
 * Call before a final response: throws unless the transaction and the stored blocks that it was checked against are on
 * the canonical branch, and the database is unchanged.
 */
export async function requireCurrentBranch(
  { chain, db }: Services,
  { blocks, contracts, registry }: { blocks: readonly Block[]; contracts: Contracts; registry: Registry },
): Promise<void> {
  // One snapshot, so that the launches and pools belong to the blocks compared with the chain.
  const now = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => ({
      registry: await loadRegistry(trx, contracts, blocks),
      stored: await readNotFinal(trx),
    }))
  requireUnchanged(registry, now.registry)
  requireUnchanged(now.registry, registry)
  await requireCanonical(chain, [...now.stored, ...blocks])
}

/**
 * Throws StaleBatchError if a reorg meanwhile removed a launch or graduation that the transaction depends on: its
 * events would be rejected for good.
 */
export function requireUnchanged(read: Registry, written: Registry): void {
  const isGone =
    [...read.tokens].some(([token, launch]) => !isSame(written.tokens.get(token), launch)) ||
    [...read.pools].some(([pool, { since }]) => !isSame(written.pools.get(pool)?.since, since))
  if (isGone) throw new StaleBatchError('A launch or graduation that the transaction depends on has changed')
}

const readNotFinal = (db: Db | Transaction<Database>): Promise<BlockId[]> =>
  db
    .selectFrom('blocks')
    .select(['number', 'hash'])
    .where('number', '>', (query) => query.selectFrom('chain_state').select('finalized_number'))
    .execute()

/** The newest indexed block that is final; undefined before the first. */
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
 * The stored blocks that are not final, and the node's blocks at their heights. Throws FinalityError if the node
 * contradicts a final block.
 */
export async function compareWithNode({ db, chain }: Services): Promise<BranchComparison> {
  const [anchor, stored] = [await readAnchor(db), await readNotFinal(db)]
  const [settled, ...headers] = await Promise.all([
    anchor && chain.getHeader(anchor.number),
    ...stored.map(({ number }) => chain.getHeader(number)),
  ])
  // The node lags behind: its branch is unknown.
  if (settled === null) throw pendingError()
  if (settled?.hash !== anchor?.hash) throw new FinalityError(CONTRADICTED)
  return { stored, canonicalBlocks: headers.filter((header) => header != null) }
}
