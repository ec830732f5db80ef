import type { Transaction } from 'kysely'
import { announce } from '../../db/queries/outbox.ts'
import { findTokens } from '../../db/queries/tokens.ts'
import type { Database } from '../../db/schema.ts'
import { toTokenUpdate } from '../../records/events.ts'

/** Lets those who follow these tokens have their records as they now are. The last thing that its transaction does. */
export async function announceTokens(
  trx: Transaction<Database>,
  { tokens, chainId }: { tokens: readonly string[]; chainId: number },
): Promise<void> {
  const rows = await findTokens(trx, tokens)
  await announce(
    trx,
    rows.map((row) => toTokenUpdate(row, chainId)),
  )
}
