import type { Transaction } from 'kysely'
import { enqueueEvents, type NewEvent } from '../../db/queries/outbox.ts'
import { findTokens } from '../../db/queries/tokens.ts'
import type { Database } from '../../db/schema.ts'
import { toTokenUpdate } from '../../records/events.ts'

interface Updated {
  tokens: readonly string[]
  chainId: number
}

/** Enqueues token.updated events with the current records. Call it last in its transaction: see enqueueEvents. */
export async function enqueueTokenUpdates(trx: Transaction<Database>, updated: Updated): Promise<void> {
  await enqueueEvents(trx, await buildTokenUpdates(trx, updated))
}

/** token.updated events with the current records. */
export async function buildTokenUpdates(trx: Transaction<Database>, { tokens, chainId }: Updated): Promise<NewEvent[]> {
  return (await findTokens(trx, tokens)).map((row) => toTokenUpdate(row, chainId))
}
