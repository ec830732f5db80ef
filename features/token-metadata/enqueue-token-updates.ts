import type { Transaction } from 'kysely'
import { enqueueEvents } from '../../db/queries/outbox.ts'
import { findTokens } from '../../db/queries/tokens.ts'
import type { Database } from '../../db/schema.ts'
import { toTokenUpdate } from '../../records/events.ts'

/** Enqueues token.updated events with the current records. Call it last in its transaction: see enqueueEvents. */
export async function enqueueTokenUpdates(
  trx: Transaction<Database>,
  { tokens, chainId }: { tokens: readonly string[]; chainId: number },
): Promise<void> {
  const rows = await findTokens(trx, tokens)
  await enqueueEvents(
    trx,
    rows.map((row) => toTokenUpdate(row, chainId)),
  )
}
