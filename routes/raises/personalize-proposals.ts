import type { Static } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { findVotes, type ProposalRow } from '../../db/queries/raises/raise-proposals.ts'
import { toProposal } from '../../records/to-proposal.ts'
import type { Proposal } from '../../schemas/proposals.ts'

type Request = Pick<FastifyRequest, 'db' | 'wallet'>

/** The records of these rows, with the votes of the authenticated wallet: one more query, if there is a wallet. */
export async function personalizeProposals(rows: readonly ProposalRow[], { db, wallet }: Request) {
  const proposals = rows.map(({ id }) => id)
  const own = wallet === null ? null : await findVotes(db, { wallet, proposals })
  return rows.map((row) => toProposal(row, own?.get(row.id)))
}

export const personalizeProposal = async (row: ProposalRow, request: Request) =>
  (await personalizeProposals([row], request))[0] as Static<typeof Proposal>
