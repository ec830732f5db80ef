import { type Abi, type Hex, toEventSelector } from 'viem'
import { feeStakingAbi } from './abi/fee-staking.ts'
import { clampTime, requireAmounts } from './bounds.ts'
import { dataAmount, dataWord, type Log } from './logs/log.ts'
import { rewardPrecision } from './staking.ts'

/** Amounts in base units, times and durations in seconds; rewardRate and rewardPerToken are scaled by rewardPrecision. */
export interface PoolCreatedEvent {
  kind: 'create-pool'
  contract: string
  /** Pool number in its contract. */
  number: bigint
  stakingToken: string
  /** The zero address stands for the native coin. */
  rewardToken: string
  cooldownSeconds: bigint
  periodSeconds: bigint
}

interface PoolState {
  contract: string
  number: bigint
  totalStaked: bigint
  rewardRate: bigint
  rewardPerToken: bigint
  lastUpdateTime: bigint
  periodFinish: bigint
}

export type PositionEventKind = 'stake' | 'unstake' | 'withdraw' | 'claim'

/** A wallet's action, with position and pool after it. */
export interface PositionEvent extends PoolState {
  kind: PositionEventKind
  wallet: string
  /** Staked, unstaked, withdrawn or claimed, by kind. */
  amount: bigint
  staked: bigint
  pendingUnstake: bigint
  withdrawableAt: bigint
  rewards: bigint
}

export interface FundedEvent extends PoolState {
  kind: 'fund'
  wallet: string
  amount: bigint
  totalFunded: bigint
}

export type StakingEvent = PoolCreatedEvent | PositionEvent | FundedEvent

export const poolCreatedTopic = selector('PoolCreated')
const fundedTopic = selector('Funded')
const positionKinds: ReadonlyMap<string, PositionEventKind> = new Map<string, PositionEventKind>([
  [selector('Staked'), 'stake'],
  [selector('UnstakeRequested'), 'unstake'],
  [selector('Withdrawn'), 'withdraw'],
  [selector('RewardPaid'), 'claim'],
])

export const stakingTopics: readonly Hex[] = [poolCreatedTopic, fundedTopic, ...(positionKinds.keys() as Iterable<Hex>)]

function selector(name: string): Hex {
  const event = feeStakingAbi.find((item) => item.type === 'event' && item.name === name)
  if (!event) throw new Error(`The staking contract's ABI has no event ${name}`)
  return toEventSelector(event as Extract<Abi[number], { type: 'event' }>)
}

/** The decoded event of a staking contract log, read by word offset; undefined for an unknown topic0. */
export function decodeStakingLog(log: Log): StakingEvent | undefined {
  const [topic = '', word = '0x'] = log.topics
  const kind = positionKinds.get(topic)
  if (kind) return decodePositionLog(log, kind, BigInt(word))
  if (topic === poolCreatedTopic) {
    return {
      kind: 'create-pool',
      contract: log.address,
      number: BigInt(word),
      stakingToken: log.topicAddress(2),
      rewardToken: log.topicAddress(3),
      cooldownSeconds: dataTime(log, 0),
      periodSeconds: dataTime(log, 1),
    }
  }
  return topic === fundedTopic ? decodeFunded(log, BigInt(word)) : undefined
}

/** Staked, UnstakeRequested, Withdrawn and RewardPaid have the same layout. */
function decodePositionLog(log: Log, kind: PositionEventKind, number: bigint): PositionEvent {
  return {
    kind,
    contract: log.address,
    number,
    wallet: log.topicAddress(2),
    amount: dataAmount(log, 0),
    staked: dataAmount(log, 1),
    totalStaked: dataAmount(log, 2),
    pendingUnstake: dataAmount(log, 3),
    withdrawableAt: dataTime(log, 4),
    rewards: dataAmount(log, 5),
    rewardRate: dataRate(log, 6),
    rewardPerToken: dataRate(log, 7),
    lastUpdateTime: dataTime(log, 8),
    periodFinish: dataTime(log, 9),
  }
}

function decodeFunded(log: Log, number: bigint): FundedEvent {
  return {
    kind: 'fund',
    contract: log.address,
    number,
    wallet: log.topicAddress(2),
    amount: dataAmount(log, 0),
    rewardRate: dataRate(log, 1),
    periodFinish: dataTime(log, 2),
    rewardPerToken: dataRate(log, 3),
    lastUpdateTime: dataTime(log, 4),
    totalStaked: dataAmount(log, 5),
    totalFunded: dataAmount(log, 6),
  }
}

const dataTime = (log: Log, index: number): bigint => clampTime(dataWord(log, index))

/** A rate scaled by rewardPrecision. Throws RangeError if the unscaled rate exceeds MAX_AMOUNT. */
function dataRate(log: Log, index: number): bigint {
  const rate = dataWord(log, index)
  requireAmounts(rate / rewardPrecision)
  return rate
}
