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

/** What can be done at a pool, and synced. */
export const stakingActs = ['stake', 'unstake', 'withdraw', 'claim', 'fund'] as const
export type StakingAct = (typeof stakingActs)[number]

const contract = '0xdc64a140aa3e981100a9beca4e685f962f0cf6c9'
const stakingToken = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const native = `0x${'0'.repeat(40)}`
const wallet = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
const txHash = '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77'

export const PoolId = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}-(0|[1-9][0-9]{0,77})$',
  description: 'Id of a staking pool: its contract, and its number there.',
  examples: [`${contract}-1`],
  'x-lowercase': true,
  'x-expects': 'must be the id of a staking pool: an address, a dash and a number',
})

const RewardToken = Type.String({ ...Address, description: 'The zero address stands for the native coin.' })

export const StakingPool = component(
  'StakingPool',
  {
    id: PoolId,
    contract: Type.String({ ...Address, description: 'The contract to call.' }),
    number: Type.String({ ...Amount, description: 'The pool’s number in its contract: the poolId of every call.' }),
    stakingToken: Address,
    rewardToken: RewardToken,
    cooldownSeconds: Type.Integer({ description: 'From a request to unstake to the withdrawal.' }),
    periodSeconds: Type.Integer({ description: 'How long a funding of an idle pool is paid out.' }),
    totalStaked: Amount,
    totalStakedUsd: Nullable(Type.Number({ description: 'Null where the price of the token is not known.' })),
    rewardRate: Type.String({
      ...Amount,
      description: 'Base units of the reward a second, times 10^36, as the contract keeps it. See rewardPerDay.',
    }),
    rewardPerDay: Type.String({
      ...Amount,
      description: 'What the pool pays to all stakers in a day at the present rate; 0 once the stream has ended.',
    }),
    periodFinish: Nullable(
      Type.String({
        ...IsoTime,
        description: 'When the rewards end. It moves away while nobody stakes. Null before the first funding.',
      }),
    ),
    aprPct: Nullable(
      Type.Number({
        description:
          'Rewards of a year at the present rate in percent of what is staked, at present prices and without compounding. ' +
          'Null where nothing is staked, or the price of one of the tokens is not known.',
      }),
    ),
    totalFunded: Amount,
    totalPaid: Amount,
    stakerCount: Type.Integer({ description: 'Wallets with a stake; one that only waits to withdraw is none.' }),
    createdAt: IsoTime,
    asOf: Type.String({ ...IsoTime, description: 'The time of the newest block, which all of this is as of.' }),
    ...chainFields,
  },
  {
    description:
      'A pool that pays rewards to those who stake in it. blockNumber, txHash and logIndex are those of its creation.',
    examples: [
      {
        id: `${contract}-1`,
        contract,
        number: '1',
        stakingToken,
        rewardToken: native,
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
    staked: Type.String({ ...Amount, description: 'What earns.' }),
    pendingUnstake: Type.String({ ...Amount, description: 'Taken out of the stake, and not withdrawn yet.' }),
    withdrawableAt: Nullable(
      Type.String({ ...IsoTime, description: 'When pendingUnstake can be withdrawn; null where nothing is pending.' }),
    ),
    earned: Type.String({
      ...Amount,
      description:
        'What a claim would pay at the time of the newest block (asOf), to the last unit. Later, it pays no less.',
    }),
    claimed: Type.String({ ...Amount, description: 'All that was ever paid.' }),
    asOf: Type.String({ ...IsoTime, description: 'The time of the newest block, which `earned` is as of.' }),
    ...chainFields,
  },
  {
    description: 'A wallet at a pool. blockNumber, txHash and logIndex are those of the last thing that it did there.',
    examples: [
      {
        poolId: `${contract}-1`,
        wallet,
        stakingToken,
        rewardToken: native,
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
    id: Type.String({ description: 'The transaction and the log in it.' }),
    type: OneOf(stakingActs),
    poolId: PoolId,
    wallet: Address,
    amount: Type.String({
      ...Amount,
      description: 'Of the staking token; of a claim and a funding, of the reward token.',
    }),
    timestamp: IsoTime,
    ...chainFields,
  },
  { description: 'Something that a wallet did at a pool.' },
)

export const SyncedStaking = component(
  'SyncedStaking',
  {
    txHash: TxHash,
    events: Type.Array(ref(StakingEvent), { minItems: 1 }),
    pools: Type.Array(ref(StakingPool), { description: 'The pools of these events as they are now.' }),
    positions: Type.Array(ref(StakingPosition), {
      description: 'The positions of the wallet at these pools as they are now; none where it only ever funded.',
    }),
  },
  {
    description: 'What the wallet did in the transaction, of this kind.',
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
  wallet: Type.Optional(Type.String({ ...Address, description: 'Whose positions; by default your own.' })),
  pool: Type.Optional(Type.String({ ...PoolId, description: 'Only the position at this pool.' })),
})
export const PositionList = CursorList(ref(StakingPosition))

export const components = [StakingPool, StakingPosition, StakingEvent, SyncedStaking]

export const channels = {
  staking: { description: 'Transactions in the staking pools.', example: 'staking' },
} as const satisfies Record<string, Channel>
