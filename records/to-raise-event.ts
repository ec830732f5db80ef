import type { Static } from '@sinclair/typebox'
import type { RaiseEventRow } from '../db/queries/raises/raises.ts'
import type { RaiseEvent } from '../schemas/raise-events.ts'
import { toIso } from './format.ts'
import { nativeQuote } from './quote.ts'
import { toChoice } from './to-proposal.ts'

type Event = Static<typeof RaiseEvent>

/** An action on a raise or a proposal as the API serves it after a receipt sync. */
export const toRaiseEvent = (row: RaiseEventRow): Event => ({
  id: `${row.tx_hash}-${row.log_index}`,
  type: row.kind as Event['type'],
  raiseId: row.raise,
  proposalId: row.proposal,
  wallet: row.wallet,
  quote: nativeQuote(row.native_symbol),
  amount: row.amount,
  support: row.support === null ? null : toChoice(row.support),
  timestamp: toIso(row.block_time),
  blockNumber: row.block_number,
  txHash: row.tx_hash,
  logIndex: row.log_index,
  confirmed: row.confirmed,
})
