import type { Static } from '@sinclair/typebox'
import { zeroAddress } from 'viem'
import { proposalStateAt, releasedBy } from '../chain/raises.ts'
import type { ProposalRow, VoteRow } from '../db/queries/raises/raise-proposals.ts'
import { type Proposal, voteChoices } from '../schemas/proposals.ts'
import { toIso } from './format.ts'
import { nativeQuote } from './quote.ts'

/** Converts the contract’s number of a choice to its name. */
export const toChoice = (support: number) => voteChoices[support] ?? 'abstain'

const readState = (row: ProposalRow) =>
  proposalStateAt(
    {
      voteStart: BigInt(row.vote_start),
      voteEnd: BigInt(row.vote_end),
      expiresAt: BigInt(row.expires_at),
      quorum: BigInt(row.quorum),
      forVotes: BigInt(row.for_votes),
      againstVotes: BigInt(row.against_votes),
      abstainVotes: BigInt(row.abstain_votes),
      executed: row.executed_at !== null,
      cancelled: row.cancelled_at !== null,
    },
    row.dissolved_at === null ? null : BigInt(row.dissolved_at),
    BigInt(row.clock_time),
  )

/** What the execution pays, or has paid. */
const countPayout = (row: ProposalRow): string =>
  row.executed_amount ??
  String(
    releasedBy(BigInt(row.amount), BigInt(row.total_weight), {
      ...{ totalCommitted: BigInt(row.total_committed), released: BigInt(row.released) },
      ...{ exitedWeight: BigInt(row.exited_weight), exitedAmount: BigInt(row.exited_amount) },
    }),
  )

const toVote = ({ support, weight, block_time, tx_hash }: VoteRow) => ({
  support: toChoice(support),
  weight,
  votedAt: toIso(block_time),
  txHash: tx_hash,
})

/** A proposal as the API serves it, as of the newest block. `own`: the vote of the authenticated wallet. */
export function toProposal(row: ProposalRow, own: VoteRow | undefined): Static<typeof Proposal> {
  // The contract stores a proposal to dissolve a raise as a payout to the zero address.
  const dissolves = row.recipient === zeroAddress
  return {
    id: row.id,
    contract: row.contract,
    number: row.number,
    raiseId: row.raise,
    proposer: row.proposer,
    kind: dissolves ? 'dissolve' : 'release',
    title: row.title,
    description: row.description,
    descriptionUri: row.description_uri,
    quote: nativeQuote(row.native_symbol),
    amount: row.amount,
    payout: countPayout(row),
    recipient: dissolves ? null : row.recipient,
    voteStart: toIso(row.vote_start),
    voteEnd: toIso(row.vote_end),
    executableAt: toIso(row.executable_at),
    expiresAt: toIso(row.expires_at),
    forVotes: row.for_votes,
    againstVotes: row.against_votes,
    abstainVotes: row.abstain_votes,
    quorum: row.quorum,
    voterCount: row.voter_count,
    state: readState(row),
    executedAt: row.executed_at === null ? null : toIso(row.executed_at),
    myVote: own ? toVote(own) : null,
    createdAt: toIso(row.created_at),
    asOf: toIso(row.clock_time),
    blockNumber: row.created_block,
    txHash: row.tx_hash,
    logIndex: row.created_log,
    confirmed: row.confirmed,
  }
}
