import { Type } from '@sinclair/typebox'
import {
  Address,
  Amount,
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
import type { LiveEvent } from './live.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'
import { ProposalId, RaiseId } from './raise-values.ts'
import { PoolId } from './staking.ts'
import { Token, Trade } from './tokens.ts'

/** Records of a synced transaction: only those of the wallet that synced it. */
export const SyncedTrades = component(
  'SyncedTrades',
  { txHash: TxHash, trades: Type.Array(ref(Trade), { minItems: 1 }) },
  { description: 'The trades of this kind that the wallet made in the transaction.' },
)
export const SyncedTokens = component(
  'SyncedTokens',
  { txHash: TxHash, tokens: Type.Array(ref(Token), { minItems: 1 }) },
  { description: 'The tokens that the wallet launched in the transaction.' },
)

/** Transaction types with the subject of each: a token, a raise or a staking pool. */
export const transactionTypes = {
  create: 'token',
  buy: 'token',
  sell: 'token',
  graduate: 'token',
  claim_creator_fee: 'token',
  split_creator_fees: 'token',
  transfer_fee_right: 'token',
  raise_create: 'raise',
  update_metadata: 'token',
  register: 'raise',
  commit: 'raise',
  claim_raise: 'raise',
  refund: 'raise',
  propose: 'raise',
  vote: 'raise',
  execute: 'raise',
  finalize: 'raise',
  cancel_raise: 'raise',
  reclaim_tokens: 'raise',
  dissolve: 'raise',
  cancel_proposal: 'raise',
  exit: 'raise',
  stake: 'pool',
  unstake: 'pool',
  withdraw: 'pool',
  claim: 'pool',
  fund: 'pool',
} as const
export type TransactionType = keyof typeof transactionTypes
const typeNames = Object.keys(transactionTypes) as TransactionType[]

export const Transaction = component(
  'Transaction',
  {
    id: Type.String({ description: 'Transaction hash and log index.' }),
    type: Type.Unsafe<TransactionType>(OneOf(typeNames)),
    wallet: Type.String({
      ...Address,
      description: 'Wallet that acted. For a graduation, which any wallet may trigger, the launchpad.',
    }),
    token: Nullable(Address),
    raise: Nullable(Type.String({ description: 'Id of the raise.' })),
    proposal: Nullable(
      Type.String({
        description: 'Id of the proposal, for propose, vote, exit, execute and cancel_proposal.',
      }),
    ),
    pool: Nullable(Type.String({ description: 'Id of the staking pool.' })),
    quote: Nullable(ref(QuoteAsset), { description: 'Null at a staking pool, whose amounts are in its own tokens.' }),
    amounts: Type.Record(Type.String(), Amount, {
      description:
        'Amounts by name, in base units: tokenAmount, quoteAmount, protocolFee and creatorFee for a trade; the ' +
        'weight for a vote.',
    }),
    timestamp: IsoTime,
    ...chainFields,
  },
  {
    description: 'A wallet’s on-chain action: a trade or another action.',
    examples: [
      {
        id: '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-11',
        type: 'buy',
        wallet: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        raise: null,
        proposal: null,
        pool: null,
        quote: exampleQuote,
        amounts: {
          tokenAmount: '41893560112006519471348291',
          quoteAmount: '100000000000000000',
          protocolFee: '1000000000000000',
          creatorFee: '500000000000000',
        },
        timestamp: '2026-11-20T11:58:12.000Z',
        blockNumber: 22_414_823,
        txHash: '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77',
        logIndex: 11,
        confirmed: false,
      },
    ],
  },
)

export const TransactionQuery = CursorQuery({
  wallet: Type.Optional(Type.String({ ...Address, description: 'Only actions of this wallet.' })),
  token: Type.Optional(Type.String({ ...Address, description: 'Only actions on this token.' })),
  raise: Type.Optional(Type.String({ ...RaiseId, description: 'Only actions on this raise and its proposals.' })),
  proposal: Type.Optional(Type.String({ ...ProposalId, description: 'Only actions on this proposal.' })),
  pool: Type.Optional(Type.String({ ...PoolId, description: 'Only actions at this staking pool.' })),
  type: Type.Optional(Type.Unsafe<TransactionType>(OneOf(typeNames, { description: 'Only actions of this type.' }))),
  txHash: Type.Optional(Type.String({ ...TxHash, description: 'Only actions in this transaction.' })),
})
export const TransactionList = CursorList(ref(Transaction))

export const components = [SyncedTrades, SyncedTokens, Transaction]

const exampleToken = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const exampleWallet = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
const retractedHash = '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77'
const { quote, amounts, timestamp, confirmed, ...ofRetracted } = Transaction.properties
const RetractedTransaction = component('RetractedTransaction', ofRetracted, {
  description: 'A wallet’s action in a block that a reorg orphaned. It may be included again in another block.',
  examples: [
    {
      ...{
        id: `${retractedHash}-11`,
        type: 'buy',
        wallet: exampleWallet,
        token: exampleToken,
        raise: null,
        proposal: null,
        pool: null,
      },
      ...{ blockNumber: 22_414_823, txHash: retractedHash, logIndex: 11 },
    },
  ],
})

export const liveEvents = {
  transaction: {
    data: Transaction,
    channels: ['wallet', 'raises', 'raise', 'staking'],
    description:
      'A wallet acted on the chain. Actions on raises and stakes are also sent to `raises`, `raise:<id>` and ' +
      '`staking`.',
  },
  'transaction.retracted': {
    data: RetractedTransaction,
    channels: ['wallet', 'raises', 'raise', 'staking'],
    description: 'A reorg undid a transaction.',
  },
} as const satisfies Record<string, LiveEvent>
