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
import type { Channel } from './live.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'

/** Actions at a pool that can be synced. */
export const stakingActs = ['stake', 'unstake', 'withdraw', 'claim', 'fund'] as const
export type StakingAct = (typeof stakingActs)[number]

const contract = '0xdc64a140aa3e981100a9beca4e685f962f0cf6c9'
const stakingToken = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const native = `0x${'0'.repeat(40)}`
const wallet = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
const txHash = '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77'

export const PoolId = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}-(0|[1-9][0-9]{0,77})$',
  description: 'Id of a staking pool: its contract address and its number there.',
  examples: [`${contract}-1`],
  'x-lowercase': true,
  'x-expects': 'must be the id of a staking pool: an address, a dash and a number',
})

const RewardToken = Type.String({ ...Address, description: 'The zero address stands for the native coin.' })

const RewardQuote = Nullable(ref(QuoteAsset), {
  description: 'Asset of the rewards if it is the native coin; null for a token, which rewardToken names.',
})

export const StakingPool = component(
  'StakingPool',
  {
    id: PoolId,
    contract: Type.String({ ...Address, description: 'Address of the contract to call.' }),
    number: Type.String({
      ...Amount,
      description: 'Number of the pool in its contract: the argument poolId of contract calls.',
    }),
    stakingToken: Address,
    rewardToken: RewardToken,
    quote: RewardQuote,
    cooldownSeconds: Type.Integer({ description: 'Delay between a request to unstake and the withdrawal.' }),
    periodSeconds: Type.Integer({ description: 'Duration over which a funding of an idle pool is paid out.' }),
    totalStaked: Amount,
    totalStakedUsd: Nullable(Type.Number({ description: 'Null if the price of the token is unknown.' })),
    rewardRate: Type.String({
      ...Amount,
      description: 'Reward base units per second, times 10^36, as stored by the contract. See rewardPerDay.',
    }),
    rewardPerDay: Type.String({
      ...Amount,
      description: 'Rewards for all stakers per day at the current rate; 0 once the rewards have ended.',
    }),
    periodFinish: Nullable(
      Type.String({
        ...IsoTime,
        description: 'End of the rewards. It is postponed while nothing is staked. Null before the first funding.',
      }),
    ),
    aprPct: Nullable(
      Type.Number({
        description:
          'Rewards of one year at the current rate in percent of the stake, at current prices and without ' +
          'compounding. Null if nothing is staked or the price of either token is unknown.',
      }),
    ),
    totalFunded: Amount,
    totalPaid: Amount,
    stakerCount: Type.Integer({
      description: 'Wallets with a stake. Wallets that only wait to withdraw are not counted.',
    }),
    createdAt: IsoTime,
    asOf: Type.String({ ...IsoTime, description: 'Time of the newest block; all figures are as of this time.' }),
    ...chainFields,
  },
  {
    description: 'A pool that pays rewards to stakers. blockNumber, txHash and logIndex are those of its creation.',
    examples: [
      {
        id: `${contract}-1`,
        contract,
        number: '1',
        stakingToken,
        rewardToken: native,
        quote: exampleQuote,
        cooldownSeconds: 259_200,
        periodSeconds: 604_800,
        totalStaked: '41893560112006519471348291',
        totalStakedUsd: 5_266.12,
        rewardRate: '1653439153439153439153439153439153439153439153439',
        rewardPerDay: '142857142857142857',
        periodFinish: '2026-11-26T12:00:00.000Z',
        aprPct: 2_970.478_113,
        totalFunded: '1000000000000000000',
        totalPaid: '214285714285714285',
        stakerCount: 38,
        createdAt: '2026-11-14T09:30:00.000Z',
        asOf: '2026-11-21T12:00:00.000Z',
        blockNumber: 22_362_113,
        txHash,
        logIndex: 4,
        confirmed: true,
      },
    ],
  },
)

export const StakingPosition = component(
  'StakingPosition',
  {
    poolId: PoolId,
    wallet: Address,
    stakingToken: Address,
    rewardToken: RewardToken,
    quote: RewardQuote,
    staked: Type.String({ ...Amount, description: 'Stake that earns rewards.' }),
    pendingUnstake: Type.String({ ...Amount, description: 'Amount unstaked and not yet withdrawn.' }),
    withdrawableAt: Nullable(
      Type.String({
        ...IsoTime,
        description:
          'Time from which pendingUnstake can be withdrawn; null if nothing is pending. Unstaking again restarts the ' +
          'cooldown of all pending tokens, even of those that could be withdrawn.',
      }),
    ),
    earned: Type.String({
      ...Amount,
      description:
        'Exact amount that a claim would pay at the time of the newest block (asOf). A later claim pays no less.',
    }),
    claimed: Type.String({ ...Amount, description: 'Total rewards paid to the wallet.' }),
    asOf: Type.String({ ...IsoTime, description: 'Time of the newest block; `earned` is as of this time.' }),
    ...chainFields,
  },
  {
    description: 'A wallet’s position at a pool. blockNumber, txHash and logIndex are those of its last action there.',
    examples: [
      {
        poolId: `${contract}-1`,
        wallet,
        stakingToken,
        rewardToken: native,
        quote: exampleQuote,
        staked: '1250000000000000000000000',
        pendingUnstake: '250000000000000000000000',
        withdrawableAt: '2026-11-23T08:14:31.000Z',
        earned: '3124890761220938',
        claimed: '6401220098712331',
        asOf: '2026-11-21T12:00:00.000Z',
        blockNumber: 22_410_004,
        txHash,
        logIndex: 17,
        confirmed: true,
      },
    ],
  },
)

export const StakingEvent = component(
  'StakingEvent',
  {
    id: Type.String({ description: 'Transaction hash and log index.' }),
    type: OneOf(stakingActs),
    poolId: PoolId,
    wallet: Address,
    amount: Type.String({
      ...Amount,
      description: 'In the staking token; for claim and fund, in the reward token.',
    }),
    quote: Nullable(ref(QuoteAsset), {
      description: 'Asset of the amount if it is the native coin; null for a token.',
    }),
    timestamp: IsoTime,
    ...chainFields,
  },
  { description: 'An action of a wallet at a pool.' },
)

export const SyncedStaking = component(
  'SyncedStaking',
  {
    txHash: TxHash,
    events: Type.Array(ref(StakingEvent), { minItems: 1 }),
    pools: Type.Array(ref(StakingPool), { description: 'The pools of these events in their current state.' }),
    positions: Type.Array(ref(StakingPosition), {
      description: 'The wallet’s positions at these pools in their current state; empty if it has only funded them.',
    }),
  },
  {
    description: 'The wallet’s actions of this kind in the transaction.',
    examples: [
      {
        txHash,
        events: [
          {
            id: `${txHash}-17`,
            type: 'unstake',
            poolId: `${contract}-1`,
            wallet,
            amount: '250000000000000000000000',
            quote: null,
            timestamp: '2026-11-20T08:14:31.000Z',
            blockNumber: 22_410_004,
            txHash,
            logIndex: 17,
            confirmed: false,
          },
        ],
        pools: StakingPool.examples,
        positions: StakingPosition.examples,
      },
    ],
  },
)

export const PoolQuery = CursorQuery({
  token: Type.Optional(Type.String({ ...Address, description: 'Only pools where this token is staked.' })),
})
export const PoolParams = Type.Object({ id: PoolId })
export const PoolList = CursorList(ref(StakingPool))

export const PositionQuery = CursorQuery({
  wallet: Type.Optional(Type.String({ ...Address, description: 'The wallet. Default: the authenticated wallet.' })),
  pool: Type.Optional(Type.String({ ...PoolId, description: 'Only the position at this pool.' })),
})
export const PositionList = CursorList(ref(StakingPosition))

export const components = [StakingPool, StakingPosition, StakingEvent, SyncedStaking]

export const channels = {
  staking: { description: 'Transactions in the staking pools.', example: 'staking' },
} as const satisfies Record<string, Channel>
