import { type Abi, type Hex, toEventSelector } from 'viem'
import { feeStakingAbi } from './abi/fee-staking.ts'
import { dataWord, type Log, topicAddress } from './logs.ts'

/** Amounts in base units, times and lengths of time in seconds; rates and rewardPerToken are times rewardPrecision. */
export interface PoolCreatedEvent {
  kind: 'create-pool'
  contract: string
  /** The pool's number in its contract. */
  number: bigint
  stakingToken: string
  /** The zero address: the native coin. */
  rewardToken: string
  cooldownSeconds: bigint
  periodSeconds: bigint
}

/** The pool's state after an event. */
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

/** An account's doing, with the state of account and pool after it. */
export interface PositionEvent extends PoolState {
  kind: PositionEventKind
  wallet: string
  /** Staked, taken out of the stake, returned or paid. */
  amount: bigint
  staked: bigint
  pendingUnstake: bigint
  withdrawableAt: bigint
  rewards: bigint
}

export interface FundedEvent extends PoolState {
  kind: 'fund'
  /** The funder. */
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

/** The event of a staking contract's log, cut out of its words by hand; undefined if it is none that we know. */
export function decodeStakingLog(log: Log): StakingEvent | undefined {
  const [topic = '', word = '0x'] = log.topics
  const kind = positionKinds.get(topic)
  if (kind) return decodePositionLog(log, kind, BigInt(word))
  if (topic === poolCreatedTopic) {
    return {
      kind: 'create-pool',
      contract: log.address,
      number: BigInt(word),
      stakingToken: topicAddress(log, 2),
      rewardToken: topicAddress(log, 3),
      cooldownSeconds: dataWord(log, 0),
      periodSeconds: dataWord(log, 1),
    }
  }
  return topic === fundedTopic ? decodeFunded(log, BigInt(word)) : undefined
}

/** The four events of an account have one layout. */
function decodePositionLog(log: Log, kind: PositionEventKind, number: bigint): PositionEvent {
  return {
    kind,
    contract: log.address,
    number,
    wallet: topicAddress(log, 2),
    amount: dataWord(log, 0),
    staked: dataWord(log, 1),
    totalStaked: dataWord(log, 2),
    pendingUnstake: dataWord(log, 3),
    withdrawableAt: dataWord(log, 4),
    rewards: dataWord(log, 5),
    rewardRate: dataWord(log, 6),
    rewardPerToken: dataWord(log, 7),
    lastUpdateTime: dataWord(log, 8),
    periodFinish: dataWord(log, 9),
  }
}

function decodeFunded(log: Log, number: bigint): FundedEvent {
  return {
    kind: 'fund',
    contract: log.address,
    number,
    wallet: topicAddress(log, 2),
    amount: dataWord(log, 0),
    rewardRate: dataWord(log, 1),
    periodFinish: dataWord(log, 2),
    rewardPerToken: dataWord(log, 3),
    lastUpdateTime: dataWord(log, 4),
    totalStaked: dataWord(log, 5),
    totalFunded: dataWord(log, 6),
  }
}
