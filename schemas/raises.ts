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
import type { Channel, LiveEvent } from './live.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'
import { image, metadata } from './token-metadata.ts'

const raiseStatuses = ['upcoming', 'registration', 'active', 'succeeded', 'failed', 'finalized', 'cancelled'] as const
const proposalStates = ['pending', 'active', 'defeated', 'succeeded', 'executed', 'cancelled'] as const

const contract = '0x0165878a594ca255338adfa4d48449f69242eb8f'
const creator = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const wallet = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
const token = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const txHash = '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77'
const mined = { blockNumber: 22_410_004, txHash, logIndex: 17, confirmed: true }

const idOf = (what: string) =>
  Type.String({
    pattern: '^0x[0-9a-fA-F]{40}-(0|[1-9][0-9]{0,77})$',
    description: `Id of a ${what}: its contract address and its number there.`,
    examples: [`${contract}-1`],
    'x-lowercase': true,
    'x-expects': `must be the id of a ${what}: an address, a dash and a number`,
  })

export const RaiseId = idOf('raise')
export const ProposalId = idOf('proposal')

const Native = (description: string) => Type.String({ ...Amount, description: `Native coin: ${description}` })
const Tokens = (description: string) => Type.String({ ...Amount, description: `Tokens: ${description}` })

export const Commitment = component(
  'Commitment',
  {
    raiseId: RaiseId,
    title: Type.String(),
    token: Address,
    wallet: Address,
    registered: Type.Boolean(),
    quote: ref(QuoteAsset),
    amount: Native('committed by the wallet; also its voting weight. A refund does not change it.'),
    status: OneOf(raiseStatuses, { description: 'Status of the raise.' }),
    sharePct: Nullable(Type.Number({ description: 'Share of all commitments in percent; null if there are none.' })),
    claimed: Type.Boolean(),
    tokensClaimed: Tokens('claimed by the wallet.'),
    claimable: Tokens('that a claim would pay now.'),
    refunded: Type.Boolean(),
    refundedAmount: Native('refunded to the wallet.'),
    refundable: Native('that a refund would pay now.'),
    ...chainFields,
  },
  {
    description:
      'A wallet’s commitment to a raise. blockNumber, txHash and logIndex are those of its last action there.',
    examples: [
      {
        ...{ raiseId: `${contract}-1`, title: 'A harbour for cats', token, wallet, registered: false },
        ...{ quote: exampleQuote, amount: '2000000000000000000', status: 'finalized', sharePct: 25, claimed: true },
        ...{ tokensClaimed: '250000000000000000000', claimable: '0', refunded: false, refundedAmount: '0' },
        ...{ refundable: '0', ...mined },
      },
    ],
  },
)

export const Raise = component(
  'Raise',
  {
    id: RaiseId,
    contract: Type.String({ ...Address, description: 'Address of the contract to call.' }),
    number: Type.String({
      ...Amount,
      description: 'Number of the raise in its contract: the argument raiseId of contract calls.',
    }),
    creator: Address,
    token: Type.String({ ...Address, description: 'Token for sale.' }),
    tokenName: Nullable(Type.String({ description: 'Null for a token that was not launched here.' })),
    tokenSymbol: Nullable(Type.String()),
    title: Type.String(),
    description: Nullable(Type.String({ description: 'Plain text from the creator.' })),
    imageUrl: Nullable(Type.String()),
    links: Type.Object({
      website: Nullable(Type.String()),
      twitter: Nullable(Type.String()),
      telegram: Nullable(Type.String()),
      discord: Nullable(Type.String()),
    }),
    describedAt: Nullable(
      Type.String({ ...IsoTime, description: 'Time of the last change of description, image or links.' }),
    ),
    metadataUri: Type.String({ description: 'As the chain has it.' }),
    featured: Type.Boolean(),
    status: OneOf(raiseStatuses, {
      description:
        'Status at asOf. Only finalized and cancelled are set by transactions; the others follow from time and ' +
        'commitments. succeeded: can be finalized. failed: can be refunded.',
    }),
    quote: ref(QuoteAsset),
    tokenAmount: Tokens('total for sale, distributed in proportion to commitments.'),
    goalMin: Native('minimum goal; below it, the raise fails.'),
    goalMax: Native('maximum goal; reaching it ends the raise.'),
    walletMin: Native('minimum commitment of a wallet.'),
    walletMax: Native('maximum commitment of a wallet.'),
    totalCommitted: Native('total commitments.'),
    totalCommittedUsd: Nullable(Type.Number()),
    progressPct: Type.Number({ description: 'totalCommitted in percent of goalMax.' }),
    participantCount: Type.Integer(),
    registrationRequired: Type.Boolean({
      description: 'Whether wallets must register, between registrationStart and startAt.',
    }),
    registrationStart: Nullable(IsoTime),
    registeredCount: Type.Integer(),
    startAt: IsoTime,
    endAt: IsoTime,
    finalizedAt: Nullable(IsoTime),
    cancelledAt: Nullable(IsoTime),
    dissolvedAt: Nullable(
      Type.String({ ...IsoTime, description: 'Time when the remaining escrow was opened to refunds.' }),
    ),
    released: Native('paid out by proposals.'),
    escrow: Native('remaining after payouts of proposals, for a finalized raise; otherwise 0.'),
    refunded: Native('refunded to committers.'),
    tokensClaimed: Tokens('claimed by committers.'),
    tokensReclaimable: Tokens('returned by refunds, for the creator to reclaim.'),
    quorumBps: Type.Integer({ description: 'Quorum in basis points of all commitments.' }),
    votingDelaySeconds: Type.Integer(),
    votingPeriodSeconds: Type.Integer(),
    proposalCount: Type.Integer(),
    myCommitment: Nullable({ ...ref(Commitment), description: 'Of the wallet that signed in.' }),
    createdAt: IsoTime,
    asOf: Type.String({ ...IsoTime, description: 'The time of the newest block.' }),
    ...chainFields,
  },
  {
    description:
      'A token sale whose proceeds are released by votes. blockNumber, txHash and logIndex are those of its ' +
      'creation.',
    examples: [
      {
        ...{
          id: `${contract}-1`,
          contract,
          number: '1',
          creator,
          token,
          tokenName: 'Harbour Cat',
          tokenSymbol: 'HCAT',
        },
        ...{ title: 'A harbour for cats', description: 'Moorings, and fish.', imageUrl: null },
        links: { website: 'https://hcat.example.org', twitter: null, telegram: null, discord: null },
        describedAt: '2026-11-10T11:59:12.000Z',
        ...{ metadataUri: 'ipfs://harbour', featured: false, status: 'finalized', quote: exampleQuote },
        ...{ tokenAmount: '1000000000000000000000', goalMin: '4000000000000000000', goalMax: '10000000000000000000' },
        ...{ walletMin: '0', walletMax: '10000000000000000000', totalCommitted: '8000000000000000000' },
        ...{ totalCommittedUsd: 24_000, progressPct: 80, participantCount: 2, registrationRequired: false },
        ...{ registrationStart: null, registeredCount: 0, startAt: '2026-11-10T12:00:00.000Z' },
        ...{ endAt: '2026-11-17T12:00:00.000Z', finalizedAt: '2026-11-17T12:04:11.000Z', cancelledAt: null },
        ...{ dissolvedAt: null, released: '3000000000000000000', escrow: '5000000000000000000', refunded: '0' },
        ...{ tokensClaimed: '250000000000000000000', tokensReclaimable: '0', quorumBps: 4_000 },
        ...{ votingDelaySeconds: 3_600, votingPeriodSeconds: 86_400, proposalCount: 2, myCommitment: null },
        ...{ createdAt: '2026-11-10T11:58:00.000Z', asOf: '2026-11-21T12:00:00.000Z', ...mined },
      },
    ],
  },
)

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
    amount: Native('to pay out.'),
    recipient: Nullable(Type.String({ ...Address, description: 'Null for a proposal to dissolve.' })),
    voteStart: IsoTime,
    voteEnd: Type.String({ ...IsoTime, description: 'End of voting, exclusive: votes at this time no longer count.' }),
    forVotes: Amount,
    againstVotes: Amount,
    abstainVotes: Amount,
    quorum: Type.String({ ...Amount, description: 'Minimum of for and abstain votes together.' }),
    voterCount: Type.Integer(),
    state: OneOf(proposalStates, { description: 'State at asOf. succeeded: can be executed.' }),
    executedAt: Nullable(IsoTime),
    myVote: Nullable(
      Type.Object(
        { support: OneOf(voteChoices), weight: Amount, votedAt: IsoTime, txHash: TxHash },
        { description: 'Of the wallet that signed in.' },
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
          amount: '3000000000000000000',
          recipient: creator,
          voteStart: '2026-11-18T12:00:00.000Z',
        },
        ...{ voteEnd: '2026-11-19T12:00:00.000Z', forVotes: '6000000000000000000', againstVotes: '0' },
        ...{ abstainVotes: '2000000000000000000', quorum: '3200000000000000000', voterCount: 2, state: 'executed' },
        executedAt: '2026-11-19T12:10:00.000Z',
        myVote: { support: 'for', weight: '6000000000000000000', votedAt: '2026-11-18T14:00:00.000Z', txHash },
        ...{ createdAt: '2026-11-18T11:00:00.000Z', asOf: '2026-11-21T12:00:00.000Z', ...mined },
      },
    ],
  },
)

/** Actions that can be synced for a raise and a proposal: last path segment, and type of the event. */
export const raiseActs = {
  register: 'register',
  commit: 'commit',
  claim: 'claim_raise',
  refund: 'refund',
  finalize: 'finalize',
} as const
export type RaiseAct = keyof typeof raiseActs
export const proposalActs = ['vote', 'execute'] as const

export const RaiseEvent = component(
  'RaiseEvent',
  {
    id: Type.String({ description: 'Transaction hash and log index.' }),
    type: OneOf([...Object.values(raiseActs), ...proposalActs]),
    raiseId: RaiseId,
    proposalId: Nullable(ProposalId),
    wallet: Address,
    quote: ref(QuoteAsset),
    amount: Nullable(
      Type.String({
        ...Amount,
        description: 'Native coin; for a claim, tokens; for a vote, its weight. Null if nothing is transferred.',
      }),
    ),
    support: Nullable(OneOf(voteChoices, { description: 'Choice of a vote.' })),
    timestamp: IsoTime,
    ...chainFields,
  },
  {
    description: 'An action of a wallet on a raise or a proposal.',
    examples: [
      {
        ...{ id: `${txHash}-17`, type: 'commit', raiseId: `${contract}-1`, proposalId: null, wallet },
        ...{
          quote: exampleQuote,
          amount: '2000000000000000000',
          support: null,
          timestamp: '2026-11-12T08:14:31.000Z',
          ...mined,
        },
      },
    ],
  },
)

const events = Type.Array(ref(RaiseEvent), {
  minItems: 1,
  description: 'The wallet’s actions on the raise or proposal in the transaction.',
})

export const SyncedRaises = component(
  'SyncedRaises',
  { txHash: TxHash, raises: Type.Array(ref(Raise), { minItems: 1 }) },
  { description: 'The raises that the wallet created in the transaction.' },
)
export const SyncedRaise = component(
  'SyncedRaise',
  { txHash: TxHash, events, raise: ref(Raise) },
  { description: 'The wallet’s actions, and the raise after them.' },
)
export const SyncedProposals = component(
  'SyncedProposals',
  { txHash: TxHash, proposals: Type.Array(ref(Proposal), { minItems: 1 }) },
  { description: 'The proposals that the wallet created in the transaction.' },
)
export const SyncedProposal = component(
  'SyncedProposal',
  { txHash: TxHash, events, proposal: ref(Proposal) },
  { description: 'The wallet’s actions, and the proposal after them.' },
)

const raiseText = {
  description: metadata.description,
  imageUrl: image('Image of the raise'),
  links: metadata.links,
}

export const RaiseCreation = Closed(
  { txHash: TxHash, ...raiseText },
  { examples: [{ txHash, description: 'Moorings, and fish.', links: { website: 'https://hcat.example.org' } }] },
)

export const RaisePatch = Closed(raiseText, {
  minProperties: 1,
  description: 'Fields to change. null clears a field; omitted fields stay unchanged.',
  examples: [{ description: 'Moorings, fish, and a roof.', links: { twitter: null } }],
})

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

export const RaiseQuery = CursorQuery({
  status: Type.Optional(OneOf(raiseStatuses, { description: 'Only raises in this status now.' })),
  creator: Type.Optional(Type.String({ ...Address, description: 'Only raises created by this wallet.' })),
  token: Type.Optional(Type.String({ ...Address, description: 'Only raises that sell this token.' })),
})
export const PartsQuery = CursorQuery({})
export const ProposalQuery = CursorQuery({
  state: Type.Optional(OneOf(proposalStates, { description: 'Only proposals in this state now.' })),
})
export const RaiseParams = Type.Object({ id: RaiseId })
export const ProposalParams = Type.Object({ id: ProposalId })
export const RaiseList = CursorList(ref(Raise))
export const CommitmentList = CursorList(ref(Commitment))
export const ProposalList = CursorList(ref(Proposal))

export const components = [
  ...[Commitment, Raise, Proposal, RaiseEvent],
  ...[SyncedRaises, SyncedRaise, SyncedProposals, SyncedProposal],
]

export const channels = {
  raises: { description: 'Transactions and text changes of all raises.', example: 'raises' },
  raise: {
    parameter: 'raise',
    description: 'Transactions and text changes of one raise.',
    example: 'raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-7',
  },
} as const satisfies Record<string, Channel>

export const liveEvents = {
  'raise.updated': {
    data: Raise,
    channels: ['raises', 'raise'],
    description: 'The texts of a raise changed. Its transactions are separate events.',
  },
} as const satisfies Record<string, LiveEvent>
