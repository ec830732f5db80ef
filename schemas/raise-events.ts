import { Type } from '@sinclair/typebox'
import { Address, Amount, chainFields, component, IsoTime, Nullable, OneOf, ref, TxHash } from './common.ts'
import { Proposal, voteChoices } from './proposals.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'
import { ProposalId, RaiseId, raiseExample } from './raise-values.ts'
import { Raise } from './raises.ts'

const { contract, wallet, txHash, mined } = raiseExample

/** Actions that can be synced for a raise and a proposal: last path segment, and type of the event. */
export const raiseActs = {
  register: 'register',
  commit: 'commit',
  claim: 'claim_raise',
  refund: 'refund',
  finalize: 'finalize',
} as const
export type RaiseAct = keyof typeof raiseActs
export const proposalActs = ['vote', 'exit', 'execute'] as const

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

export const components = [RaiseEvent, SyncedRaises, SyncedRaise, SyncedProposals, SyncedProposal]
