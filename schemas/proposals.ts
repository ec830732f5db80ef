import { Type } from '@sinclair/typebox'
import {
  Address,
  Amount,
  Closed,
  CursorList,
  CursorQuery,
  chainFields,
  component,
  IsoTime,
  Nullable,
  OneOf,
  ref,
  Text,
  TxHash,
} from './common.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'
import { Native, ProposalId, RaiseId, raiseExample } from './raise-values.ts'

const proposalStates = ['pending', 'active', 'defeated', 'succeeded', 'executed', 'cancelled', 'expired'] as const
const { contract, creator, txHash, mined } = raiseExample

export const voteChoices = ['against', 'for', 'abstain'] as const

export const Proposal = component(
  'Proposal',
  {
    id: ProposalId,
    contract: Address,
    number: Type.String({ ...Amount, description: 'Number of the proposal in its contract.' }),
    raiseId: RaiseId,
    proposer: Address,
    kind: OneOf(['release', 'dissolve'], {
      description: 'release: pays the recipient. dissolve: returns the remaining escrow to the committers.',
    }),
    title: Type.String(),
    description: Nullable(Type.String({ description: 'Plain text from the proposer.' })),
    descriptionUri: Type.String({ description: 'As the chain has it.' }),
    quote: ref(QuoteAsset),
    amount: Native('to pay out, as proposed.'),
    payout: Native('that the execution pays, or paid: the amount shrinks by the share of committers who left since.'),
    recipient: Nullable(Type.String({ ...Address, description: 'Null for a proposal to dissolve.' })),
    voteStart: IsoTime,
    voteEnd: Type.String({ ...IsoTime, description: 'End of voting, exclusive: votes at this time no longer count.' }),
    executableAt: Type.String({
      ...IsoTime,
      description:
        'End of the exit window: from voteEnd on, committers who did not vote for a proposal that passed can leave with ' +
        'their share; from this time on, it can be executed.',
    }),
    expiresAt: Type.String({ ...IsoTime, description: 'From this time on, it can no longer be executed.' }),
    forVotes: Amount,
    againstVotes: Amount,
    abstainVotes: Amount,
    quorum: Type.String({ ...Amount, description: 'Minimum of for and abstain votes together.' }),
    voterCount: Type.Integer(),
    state: OneOf(proposalStates, {
      description:
        'State at asOf. succeeded: passed; can be executed from executableAt on, a release while its payout is at most ' +
        'releasable of the raise.',
    }),
    executedAt: Nullable(IsoTime),
    myVote: Nullable(
      Type.Object(
        { support: OneOf(voteChoices), weight: Amount, votedAt: IsoTime, txHash: TxHash },
        { description: 'Latest vote of the wallet that signed in.' },
      ),
    ),
    createdAt: IsoTime,
    asOf: Type.String({ ...IsoTime, description: 'The time of the newest block.' }),
    ...chainFields,
  },
  {
    description: 'A proposal that committers vote on. Votes are weighted by commitment, in base units of native coin.',
    examples: [
      {
        ...{ id: `${contract}-1`, contract, number: '1', raiseId: `${contract}-1`, proposer: creator, kind: 'release' },
        ...{ title: 'Build the pier', description: null, descriptionUri: 'ipfs://pier' },
        ...{
          quote: exampleQuote,
          amount: '2000000000000000000',
          payout: '2000000000000000000',
          recipient: creator,
          voteStart: '2026-11-18T12:00:00.000Z',
        },
        ...{ voteEnd: '2026-11-19T12:00:00.000Z', forVotes: '6000000000000000000', againstVotes: '0' },
        ...{ abstainVotes: '2000000000000000000', quorum: '3200000000000000000', voterCount: 2, state: 'executed' },
        ...{ executableAt: '2026-11-20T12:00:00.000Z', expiresAt: '2026-12-04T12:00:00.000Z' },
        executedAt: '2026-11-20T12:10:00.000Z',
        myVote: { support: 'for', weight: '6000000000000000000', votedAt: '2026-11-18T14:00:00.000Z', txHash },
        ...{ createdAt: '2026-11-18T11:00:00.000Z', asOf: '2026-11-21T12:00:00.000Z', ...mined },
      },
    ],
  },
)

export const PROPOSAL_DESCRIPTION_LENGTH = 4000

export const ProposalCreation = Closed(
  {
    txHash: TxHash,
    description: Type.Optional(
      Text(1, PROPOSAL_DESCRIPTION_LENGTH, 'Plain text. Clients must not render it as markup.'),
    ),
  },
  { examples: [{ txHash, description: 'Timber and nails, from the mill up the river.' }] },
)

export const ProposalQuery = CursorQuery({
  state: Type.Optional(OneOf(proposalStates, { description: 'Only proposals in this state now.' })),
})
export const ProposalParams = Type.Object({ id: ProposalId })
export const ProposalList = CursorList(ref(Proposal))

export const components = [Proposal]
