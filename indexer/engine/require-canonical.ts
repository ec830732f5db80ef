import type { Chain } from '../../chain/rpc/client.ts'
import { readAnchor } from '../../db/chain-identity.ts'
import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { CONTRADICTED } from './apply.ts'
import type { BlockId } from './batch.ts'
import { FinalityError } from './errors.ts'

/*
 * A receipt sync reads from the node and from the database while either may switch branches. It gives a final response only if
 * both are on the canonical branch; else it asks the client to retry.
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

interface NotFinal {
  /** All stored blocks that are not final, lowest first. */
  stored: BlockId[]
  /**
   * The block at the checkpoint and those above. Blocks up to the checkpoint are linked, so a branch with the last one has all of
   * them, and only these have to be compared. The rule of finality may leave thousands.
   */
  tips: BlockId[]
}

export async function readNotFinal(db: Db): Promise<NotFinal> {
  const stored = await db
    .selectFrom('blocks')
    .select(['number', 'hash'])
    .where('number', '>', (query) => query.selectFrom('chain_state').select('finalized_number'))
    .orderBy('number')
    .execute()
  const state = await db.selectFrom('chain_state').select('checkpoint_hash').executeTakeFirst()
  // Not linked while the checkpoint has been moved back.
  const checkpoint = stored.findIndex(({ hash }) => hash === state?.checkpoint_hash)
  return { stored, tips: stored.slice(Math.max(0, checkpoint)) }
}

export interface BranchComparison {
  stored: BlockId[]
  canonicalBlocks: BlockId[]
}

/**
 * The stored blocks that are not final, and the node's blocks at their heights: if both are on one branch, only those from
 * the checkpoint on. Throws FinalityError if the node contradicts a final block.
 */
export async function compareWithNode({ db, chain }: Services): Promise<BranchComparison> {
  const [anchor, { stored, tips }] = [await readAnchor(db), await readNotFinal(db)]
  const getHeaders = (blocks: readonly BlockId[]) => Promise.all(blocks.map(({ number }) => chain.getHeader(number)))
  const [settled, headers] = await Promise.all([anchor && chain.getHeader(anchor.number), getHeaders(tips)])
  // The node lacks the newest indexed final block, because it lags: its branch is unknown.
  if (settled === null) throw pendingError()
  if (settled?.hash !== anchor?.hash) throw new FinalityError(CONTRADICTED)
  const isOneBranch = headers[0]?.hash === tips[0]?.hash
  const found = isOneBranch ? headers : await getHeaders(stored)
  return { stored, canonicalBlocks: found.filter((header) => header !== null) }
}
