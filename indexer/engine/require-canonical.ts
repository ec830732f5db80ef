import type { Chain } from '../../chain/client.ts'
import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { CONTRADICTED } from './apply.ts'
import type { BlockId } from './batch.ts'
import { FinalityError } from './conflicts.ts'

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

/** Whether all of these blocks are on the chain now. */
export async function areCanonical(chain: Chain, blocks: readonly BlockId[]): Promise<boolean> {
  const headers = await Promise.all(blocks.map(({ number }) => chain.getHeader(number)))
  return blocks.every(({ hash }, index) => headers[index]?.hash === hash)
}

/** Throws TRANSACTION_PENDING unless all of these blocks are on the chain now. */
export async function requireCanonical(chain: Chain, blocks: readonly BlockId[]): Promise<void> {
  if (!(await areCanonical(chain, blocks))) throw pendingError()
}

/** The stored blocks that are not final. */
export const readNotFinal = (db: Db): Promise<BlockId[]> =>
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
