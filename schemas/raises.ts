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
  TxHash,
} from './common.ts'
import type { Channel, LiveEvent } from './live.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'
import { Native, RaiseId, raiseExample } from './raise-values.ts'
import { image, metadata } from './token-metadata.ts'

export const raiseStatuses = [
  'upcoming',
  'registration',
  'active',
  'succeeded',
  'failed',
  'finalized',
  'cancelled',
] as const
const { contract, creator, wallet, token, txHash, mined } = raiseExample

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
    amount: Native('committed by the wallet; also its voting weight until it leaves. A refund does not change it.'),
    status: OneOf(raiseStatuses, { description: 'Status of the raise.' }),
    sharePct: Nullable(Type.Number({ description: 'Share of all commitments in percent; null if there are none.' })),
    claimed: Type.Boolean(),
    tokensClaimed: Tokens('claimed by the wallet.'),
    claimable: Tokens('that a claim would pay now.'),
    refunded: Type.Boolean(),
    refundedAmount: Native('refunded to the wallet.'),
    refundable: Native('that a refund would pay now.'),
    exited: Type.Boolean({ description: 'Whether the wallet has left with its share of what was unreleased.' }),
    exitable: Native('its share of what is unreleased: an exit before a release sets it aside.'),
    tokensOwed: Tokens(
      'that a refund takes back, by allowance, if the wallet has claimed: after an exit, or of a dissolved raise.',
    ),
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
        ...{ refundable: '0', exited: false, exitable: '1500000000000000000', tokensOwed: '0', ...mined },
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
    lastReleaseAt: Nullable(
      Type.String({ ...IsoTime, description: 'Time of the last release; until there is one, of the finalization.' }),
    ),
    releasable: Native('that proposals can pay out at asOf, within the limit of the release period.'),
    escrow: Native('remaining after payouts of proposals and exits, for a finalized raise; otherwise 0.'),
    remainingCommitted: Native('commitments of wallets that have not left; they share the escrow, and vote.'),
    exited: Native('set aside for wallets that left.'),
    refunded: Native('refunded to committers.'),
    tokensClaimed: Tokens('claimed by committers.'),
    tokensReclaimable: Tokens('returned by refunds, for the creator to reclaim.'),
    quorumBps: Type.Integer({ description: 'Quorum in basis points of remainingCommitted.' }),
    votingDelaySeconds: Type.Integer(),
    votingPeriodSeconds: Type.Integer(),
    exitWindowSeconds: Type.Integer({
      description: 'Time between a vote that passed and its execution, in which committers can leave.',
    }),
    releasePeriodSeconds: Type.Integer(),
    releaseBps: Type.Integer({
      description:
        'At most this share of remainingCommitted is released within a release period, in basis points. A period ends ' +
        'when nothing was released for its length.',
    }),
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
        ...{ lastReleaseAt: '2026-11-20T12:10:00.000Z', releasable: '0' },
        ...{ dissolvedAt: null, released: '2000000000000000000', escrow: '6000000000000000000', refunded: '0' },
        ...{ remainingCommitted: '8000000000000000000', exited: '0' },
        ...{ tokensClaimed: '250000000000000000000', tokensReclaimable: '0', quorumBps: 4_000 },
        ...{ votingDelaySeconds: 3_600, votingPeriodSeconds: 86_400, exitWindowSeconds: 86_400 },
        ...{ releasePeriodSeconds: 604_800, releaseBps: 2_500, proposalCount: 2, myCommitment: null },
        ...{ createdAt: '2026-11-10T11:58:00.000Z', asOf: '2026-11-21T12:00:00.000Z', ...mined },
      },
    ],
  },
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

export const RaiseQuery = CursorQuery({
  status: Type.Optional(OneOf(raiseStatuses, { description: 'Only raises in this status now.' })),
  creator: Type.Optional(Type.String({ ...Address, description: 'Only raises created by this wallet.' })),
  token: Type.Optional(Type.String({ ...Address, description: 'Only raises that sell this token.' })),
})
export const PartsQuery = CursorQuery({})
export const RaiseParams = Type.Object({ id: RaiseId })
export const RaiseList = CursorList(ref(Raise))
export const CommitmentList = CursorList(ref(Commitment))

export const components = [Commitment, Raise]

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
