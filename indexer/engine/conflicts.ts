/** An earlier creation arrived after a later one was stored, by a receipt sync ahead of the indexer. */
export class OutOfOrderError extends Error {
  override name = 'OutOfOrderError'
}

/** The database has changed since the batch was fetched: its checkpoint, what was undone, or a stored block above the checkpoint. Fetch again. */
export class StaleBatchError extends Error {
  override name = 'StaleBatchError'
}

/** A block is stored at a height that the batch lacks. */
export class UnseenBlockError extends StaleBatchError {
  readonly height: number

  constructor(height: number) {
    super(`Block ${height} was stored while the batch was fetched`)
    this.height = height
  }
}

/**
 * A receipt contradicts final blocks, or the indexer is halted after a deep reorg. Nothing is written until the chain
 * is back or an operator acts. The message is public.
 */
export class FinalityError extends Error {
  override name = 'FinalityError'
}

/**
 * A token or a pool of an orphaned branch is stored, and the batch has the same one at another position. A violation of
 * any other constraint is a defect: a retry would repeat it for ever. In the message, because Citus passes nothing else of a
 * worker on; it appends the number of the shard.
 */
const CREATED_ON_TWO_BRANCHES = /\b(tokens_pkey|tokens_address_key|pools_pkey)(_\d+)?\b/

/**
 * Whether rows ahead of the batch block it: rows of an orphaned branch, or a creation that is stored although an
 * earlier one exists. The batch can be applied once they are undone.
 */
export function isRetryableConflict(error: unknown): boolean {
  if (error instanceof OutOfOrderError) return true
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  return code === '23505' && CREATED_ON_TWO_BRANCHES.test(message)
}
