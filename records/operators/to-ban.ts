import type { Static } from '@sinclair/typebox'
import type { BanRow } from '../../db/queries/bans.ts'
import type { Ban } from '../../schemas/operators/operators.ts'

/** A banned wallet as the API serves it to operators. */
export const toBan = (row: BanRow): Static<typeof Ban> => ({
  wallet: row.wallet,
  actor: row.actor,
  reason: row.reason,
  bannedAt: row.banned_at.toISOString(),
})
