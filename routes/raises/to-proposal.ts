import type { FastifyRequest } from 'fastify'
import { proposalStateAt } from '../../chain/raises.ts'
import { findVotes, type ProposalRow, type VoteRow } from '../../db/queries/raise-proposals.ts'
import { toIso } from '../../records/format.ts'
import { voteChoices } from '../../schemas/raises.ts'

type Asked = Pick<FastifyRequest, 'db' | 'wallet'>

const NOBODY = `0x${'0'.repeat(40)}`

/** Converts proposal rows to API records. Adds the authenticated wallet’s votes, with one more query. */
export async function toProposals(rows: readonly ProposalRow[], { db, wallet }: Asked) {
  const proposals = rows.map(({ id }) => id)
  const own = wallet === null ? null : await findVotes(db, { wallet, proposals })
  return rows.map((row) => describeProposal(row, own?.get(row.id)))
}

export const toProposal = async (row: ProposalRow, request: Asked) =>
  (await toProposals([row], request))[0] as ReturnType<typeof describeProposal>

/** Converts the contract’s number of a choice to its name. */
export const toChoice = (support: number) => voteChoices[support] ?? 'abstain'

const readState = (row: ProposalRow) =>
  proposalStateAt(
    {
      voteStart: BigInt(row.vote_start),
      voteEnd: BigInt(row.vote_end),
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

const toVote = ({ support, weight, block_time, tx_hash }: VoteRow) => ({
  support: toChoice(support),
  weight,
  votedAt: toIso(block_time),
  txHash: tx_hash,
})

function describeProposal(row: ProposalRow, own: VoteRow | undefined) {
  const dissolves = row.recipient === NOBODY
  return {
    id: row.id,
    contract: row.contract,
    number: row.number,
    raiseId: row.raise,
    proposer: row.proposer,
    kind: dissolves ? ('dissolve' as const) : ('release' as const),
    title: row.title,
    description: row.description,
    descriptionUri: row.description_uri,
    amount: row.amount,
    recipient: dissolves ? null : row.recipient,
    voteStart: toIso(row.vote_start),
    voteEnd: toIso(row.vote_end),
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
