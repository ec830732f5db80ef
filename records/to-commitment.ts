import type { Static } from '@sinclair/typebox'
import { subtract } from '../chain/amounts.ts'
import { toPercent } from '../chain/price.ts'
import { escrowShare, type RaiseStatus, tokenShare } from '../chain/raises.ts'
import type { RaiseCommitmentRow } from '../db/queries/raises/raise-commitments.ts'
import type { RaiseState } from '../db/queries/raises/raises.ts'
import type { Commitment } from '../schemas/raises.ts'
import { nativeQuote } from './quote.ts'
import { readStatus } from './raise-status.ts'

/** A commitment as the API serves it, as of the newest block. */
export function toCommitment(row: RaiseCommitmentRow): Static<typeof Commitment> {
  const status = readStatus(row)
  return {
    raiseId: row.raise,
    title: row.title,
    token: row.token,
    wallet: row.wallet,
    registered: row.registered,
    quote: nativeQuote(row.native_symbol),
    amount: row.amount,
    status,
    sharePct: toPercent(BigInt(row.amount), BigInt(row.total_committed)),
    claimed: row.tokens_claimed !== null,
    tokensClaimed: row.tokens_claimed ?? '0',
    claimable: String(countClaimable(row, status)),
    refunded: row.refunded_amount !== null,
    refundedAmount: row.refunded_amount ?? '0',
    refundable: String(countRefundable(row, status)),
    exited: row.own_exited_amount !== null,
    exitable: String(countExitable(row, status)),
    tokensOwed: String(countOwed(row)),
    blockNumber: row.state_block,
    txHash: row.tx_hash,
    logIndex: row.state_log,
    confirmed: row.confirmed,
  }
}

const readSums = (row: RaiseState) => ({
  tokenAmount: BigInt(row.token_amount),
  totalCommitted: BigInt(row.total_committed),
  released: BigInt(row.released),
  exitedWeight: BigInt(row.exited_weight),
  exitedAmount: BigInt(row.exited_amount),
})

/** Tokens that RaiseSale.claim would pay. */
function countClaimable(row: RaiseCommitmentRow, status: RaiseStatus): bigint {
  if (status !== 'finalized' || row.tokens_claimed !== null) return 0n
  return subtract(tokenShare(readSums(row), BigInt(row.amount)), BigInt(row.tokens_returned ?? 0))
}

/** Native coin that RaiseSale.refund would pay. */
function countRefundable(row: RaiseCommitmentRow, status: RaiseStatus): bigint {
  if (row.refunded_amount !== null) return 0n
  if (row.own_exited_amount !== null) return BigInt(row.own_exited_amount)
  if (row.dissolved_at !== null) return escrowShare(readSums(row), BigInt(row.amount)).amount
  return status === 'failed' || status === 'cancelled' ? BigInt(row.amount) : 0n
}

/** Tokens that RaiseSale.refund would take back. */
function countOwed(row: RaiseCommitmentRow): bigint {
  if (row.refunded_amount !== null || row.tokens_claimed === null) return 0n
  if (row.own_exited_amount !== null) return BigInt(row.tokens_given_up ?? 0)
  if (row.dissolved_at === null) return 0n
  const { amount, tokensGivenUp } = escrowShare(readSums(row), BigInt(row.amount))
  // A refund of nothing reverts.
  return amount > 0n ? tokensGivenUp : 0n
}

/** Native coin that Raises.exit would set aside, once a proposal passed. */
function countExitable(row: RaiseCommitmentRow, status: RaiseStatus): bigint {
  if (status !== 'finalized' || row.dissolved_at !== null || row.own_exited_amount !== null) return 0n
  return escrowShare(readSums(row), BigInt(row.amount)).amount
}
