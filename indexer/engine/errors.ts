/*
 * The errors by which the parts of the engine tell each other what to do. Each rolls back the transaction that it is thrown in.
 * Others, such as those of a node or the database, are retried with a backoff by the loop in indexer/start.ts.
 */

/**
 * A decoder throws it when an earlier creation arrives after a later one was stored, by a receipt sync ahead of the indexer. Treated
 * as a conflict: see isRetryableConflict.
 */
export class OutOfOrderError extends Error {
  override name = 'OutOfOrderError'
}

/**
 * The database has changed since a batch was fetched: its checkpoint, what was undone, or a stored block above the checkpoint. The
 * follower and the background tasks fetch again; a receipt sync does so once.
 */
export class StaleBatchError extends Error {
  override name = 'StaleBatchError'
}

/**
 * applyBatch throws it if a block is stored at a height that a range lacks. The follower fetches again; if the block is missing
 * twice, the chain has skipped its height, and the follower undoes it.
 */
export class UnseenBlockError extends StaleBatchError {
  readonly height: number

  constructor(height: number) {
    super(`Block ${height} was stored while the batch was fetched`)
    this.height = height
  }
}

/**
 * The chain changed while it was being fetched, or no node has a block that it should have. The follower and the background tasks
 * fetch again.
 */
export class ChainMovedError extends Error {
  override name = 'ChainMovedError'
}

/**
 * findFork throws it at a reorg of a final block. The follower stores it in chain_state.halted and fails at each step: nothing is
 * written until the chain returns to the indexed branch.
 */
export class DeepReorgError extends Error {
  override name = 'DeepReorgError'
}

/**
 * A receipt contradicts final blocks, or the indexer is halted after a deep reorg: thrown to all but the indexer, until the chain
 * is back or an operator acts. A receipt sync answers FINALITY_BROKEN, with this message.
 */
export class FinalityError extends Error {
  override name = 'FinalityError'
}

/** The database was indexed from another chain. Thrown before the first step. It ends the indexer, not the API. */
export class WrongChainError extends Error {
  override name = 'WrongChainError'
}

/** The database has indexed a contract as one of another kind. Handled like its base. */
export class WrongKindError extends WrongChainError {
  override name = 'WrongKindError'
}

/** The fence of a lease throws it when another process has taken over. The indexer stands by, and its background tasks end. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError'
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
