import type { Db } from '../../../db/client.ts'
import { findServedBlock, type ServedBlock } from '../../../db/queries/integrations/adapter.ts'
import { AppError } from '../../../errors.ts'

/** Throws UNHEALTHY while no block is indexed. */
export async function getServedBlock(db: Db): Promise<ServedBlock> {
  const block = await findServedBlock(db)
  if (!block) throw new AppError('UNHEALTHY', { failed: ['indexer'] }, { retryAfter: 5 })
  return block
}
