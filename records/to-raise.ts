import type { Static } from '@sinclair/typebox'
import { subtract } from '../chain/amounts.ts'
import { toPercent } from '../chain/price.ts'
import { escrowOf, releasableAt, weightOf } from '../chain/raises.ts'
import type { RaiseCommitmentRow } from '../db/queries/raises/raise-commitments.ts'
import type { RaiseRow } from '../db/queries/raises/raises.ts'
import type { Raise } from '../schemas/raises.ts'
import { toIso, toUsd } from './format.ts'
import { nativeQuote } from './quote.ts'
import { readStatus } from './raise-status.ts'
import { toCommitment } from './to-commitment.ts'

const toTime = (seconds: number | null) => (seconds === null ? null : toIso(seconds))

/** A raise as the API serves it, as of the newest block. `own`: the commitment of the authenticated wallet. */
export function toRaise(row: RaiseRow, own: RaiseCommitmentRow | undefined): Static<typeof Raise> {
  const status = readStatus(row)
  const total = BigInt(row.total_committed)
  const sums = {
    ...{ totalCommitted: total, released: BigInt(row.released) },
    ...{ exitedWeight: BigInt(row.exited_weight), exitedAmount: BigInt(row.exited_amount) },
  }
  // Refunds of a dissolved raise are shares of the original escrow, so they do not reduce it here.
  const escrow = status === 'finalized' ? escrowOf(sums) : 0n
  const limit = {
    ...{ releaseBps: BigInt(row.release_bps), releasePeriod: BigInt(row.release_period) },
    ...{ lastReleaseAt: BigInt(row.last_release_at ?? 0), releasedInPeriod: BigInt(row.released_in_period ?? 0) },
  }
  const canRelease = status === 'finalized' && row.dissolved_at === null
  const releasable = canRelease ? releasableAt(sums, limit, BigInt(row.clock_time)) : 0n
  return {
    id: row.id,
    contract: row.contract,
    number: row.number,
    creator: row.creator,
    token: row.token,
    tokenName: row.token_name,
    tokenSymbol: row.token_symbol,
    title: row.title,
    description: row.description,
    imageUrl: row.image_url,
    links: { website: row.website, twitter: row.twitter, telegram: row.telegram, discord: row.discord },
    describedAt: row.described_at?.toISOString() ?? null,
    metadataUri: row.metadata_uri,
    featured: row.featured,
    status,
    quote: nativeQuote(row.native_symbol),
    tokenAmount: row.token_amount,
    goalMin: row.goal_min,
    goalMax: row.goal_max,
    walletMin: row.wallet_min,
    walletMax: row.wallet_max,
    totalCommitted: row.total_committed,
    totalCommittedUsd: toUsd(total, row.native_usd),
    progressPct: toPercent(total, BigInt(row.goal_max)) ?? 0,
    participantCount: row.participant_count,
    registrationRequired: row.registration_required,
    registrationStart: row.registration_required ? toIso(row.registration_start) : null,
    registeredCount: row.registered_count,
    startAt: toIso(row.start_at),
    endAt: toIso(row.end_at),
    finalizedAt: toTime(row.finalized_at),
    cancelledAt: toTime(row.cancelled_at),
    dissolvedAt: toTime(row.dissolved_at),
    released: row.released,
    lastReleaseAt: toTime(row.last_release_at),
    releasable: String(releasable),
    escrow: String(escrow),
    remainingCommitted: String(weightOf(sums)),
    exited: row.exited_amount,
    refunded: row.refunded,
    tokensClaimed: row.tokens_claimed,
    tokensReclaimable: String(subtract(BigInt(row.tokens_returned), BigInt(row.tokens_reclaimed))),
    quorumBps: row.quorum_bps,
    votingDelaySeconds: row.voting_delay,
    votingPeriodSeconds: row.voting_period,
    exitWindowSeconds: row.exit_window,
    releasePeriodSeconds: row.release_period,
    releaseBps: row.release_bps,
    proposalCount: row.proposal_count,
    myCommitment: own ? toCommitment(own) : null,
    createdAt: toIso(row.created_at),
    asOf: toIso(row.clock_time),
    blockNumber: row.created_block,
    txHash: row.tx_hash,
    logIndex: row.created_log,
    confirmed: row.confirmed,
  }
}
