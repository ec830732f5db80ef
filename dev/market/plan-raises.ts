import { type Address, type ContractFunctionArgs, encodeFunctionData, parseEther, zeroAddress } from 'viem'
import { raisesAbi } from '../../chain/abi/raises.ts'
import type { Call, MarketContracts } from './calls.ts'
import { roundAmount } from './exchange.ts'
import type { PlannedToken } from './planned-token.ts'
import type { ScheduledAction } from './scheduled-action.ts'

const HOUR = 3_600
const GAS = { create: 1_000_000, other: 500_000 }
const [AGAINST, FOR, ABSTAIN] = [0, 1, 2]
/** Stands in for a committer who created the raise. */
const SUBSTITUTE = 15
/** Sign of a time in the future: 2 * AHEAD hours ago is in two hours. */
const AHEAD = -1

type Params = ContractFunctionArgs<typeof raisesAbi, 'nonpayable', 'createRaise'>[0]

interface Terms {
  token: PlannedToken
  title: string
  goalMin: string
  goalMax: string
  /** Hours ago. */
  startAt: number
  endAt: number
  /** Hours ago. Without it no registration is required. */
  registrationStart?: number
}

/** A raise whose id and creator are set when it is created. */
interface PlannedRaise {
  id: bigint
  creator: Address
}

interface Market {
  contracts: MarketContracts
  /** The first is the deployer; the others participate. */
  wallets: readonly Address[]
  /** Current time in unix seconds. */
  endTime: number
}

/**
 * Raises that are now in every state: finalized (with an exit before an executed proposal, and one in voting), failed with refunds,
 * ended above the minimum goal, open, in registration, upcoming and cancelled. The largest holders of `tokens` (seven
 * are needed) sell them.
 */
export function planRaises(
  { contracts, wallets, endTime }: Market,
  tokens: readonly PlannedToken[],
): ScheduledAction[] {
  let raises = 0n
  const wallet = (index: number) => wallets[index] as Address
  const token = (index: number) => tokens[index] as PlannedToken
  const timeOf = (hoursAgo: number) => BigInt(endTime - Math.round(hoursAgo * HOUR))
  const call = (from: Address, data: Call['data'], extra: Partial<Call> = {}): Call => ({
    from,
    to: contracts.raises,
    data,
    gas: GAS.other,
    ...extra,
  })

  const create = (story: PlannedRaise, terms: Terms) => (): Call[] => {
    const creator = terms.token.largestHolder()
    if (!creator) throw new Error(`Nobody holds ${terms.token.listing.name}`)
    const tokenAmount = roundAmount(terms.token.balanceOf(creator) / 2n)
    story.id = ++raises
    story.creator = creator
    const params: Params = {
      token: terms.token.address,
      registrationRequired: terms.registrationStart !== undefined,
      quorumBps: 2_000,
      votingDelay: HOUR,
      votingPeriod: 24 * HOUR,
      registrationStart: terms.registrationStart === undefined ? 0n : timeOf(terms.registrationStart),
      startAt: timeOf(terms.startAt),
      endAt: timeOf(terms.endAt),
      tokenAmount,
      goalMin: parseEther(terms.goalMin),
      goalMax: parseEther(terms.goalMax),
      walletMin: parseEther('0.1'),
      walletMax: 0n,
      title: terms.title,
      metadataURI: '',
    }
    const data = encodeFunctionData({ abi: raisesAbi, functionName: 'createRaise', args: [params] })
    return [...terms.token.pay(creator, contracts.raises, tokenAmount), call(creator, data, { gas: GAS.create })]
  }
  /** The creator of a raise cannot commit to it. */
  const committer = ({ creator }: PlannedRaise, index: number) =>
    wallet(wallet(index).toLowerCase() === creator.toLowerCase() ? SUBSTITUTE : index)
  const commit = (story: PlannedRaise, from: number, coins: string) => () => {
    const data = encodeFunctionData({ abi: raisesAbi, functionName: 'commit', args: [story.id] })
    return [call(committer(story, from), data, { value: parseEther(coins) })]
  }
  type Plain = 'register' | 'finalize' | 'claim' | 'refund' | 'cancel'
  const act = (story: PlannedRaise, functionName: Plain, from: number | 'creator') => () => {
    const data = encodeFunctionData({ abi: raisesAbi, functionName, args: [story.id] })
    return [call(from === 'creator' ? story.creator : committer(story, from), data)]
  }
  const propose = (story: PlannedRaise, from: number | 'creator', coins: string, title: string) => () => {
    const args = [story.id, parseEther(coins), story.creator, title, ''] as const
    const data = encodeFunctionData({ abi: raisesAbi, functionName: 'propose', args })
    return [call(from === 'creator' ? story.creator : committer(story, from), data)]
  }
  const vote = (story: PlannedRaise, proposal: bigint, from: number, support: number) => () => {
    const data = encodeFunctionData({ abi: raisesAbi, functionName: 'vote', args: [proposal, support] })
    return [call(committer(story, from), data)]
  }
  const exit = (story: PlannedRaise, proposal: bigint, from: number) => () => {
    const data = encodeFunctionData({ abi: raisesAbi, functionName: 'exit', args: [proposal] })
    return [call(committer(story, from), data)]
  }
  const execute = (proposal: bigint) => () => {
    const data = encodeFunctionData({ abi: raisesAbi, functionName: 'execute', args: [proposal] })
    return [call(wallet(1), data)]
  }

  const planRaise = () => ({ id: 0n, creator: zeroAddress as Address })
  const [workshop, regatta, ferry, cellar, garden, tower, club] = Array.from({ length: 7 }, planRaise) as [
    PlannedRaise,
    PlannedRaise,
    PlannedRaise,
    PlannedRaise,
    PlannedRaise,
    PlannedRaise,
    PlannedRaise,
  ]
  const goals = (goalMin: string, goalMax: string) => ({ goalMin, goalMax })
  return [
    {
      hoursAgo: 66,
      buildCalls: create(workshop, {
        token: token(0),
        title: 'A workshop',
        ...goals('4', '12'),
        startAt: 64,
        endAt: 44,
      }),
    },
    { hoursAgo: 62, buildCalls: commit(workshop, 3, '3') },
    { hoursAgo: 58, buildCalls: commit(workshop, 4, '2.5') },
    {
      hoursAgo: 52,
      buildCalls: create(regatta, { token: token(1), title: 'A regatta', ...goals('6', '9'), startAt: 50, endAt: 26 }),
    },
    { hoursAgo: 50.5, buildCalls: commit(workshop, 5, '1.2') },
    { hoursAgo: 47, buildCalls: commit(regatta, 6, '1') },
    { hoursAgo: 43, buildCalls: act(workshop, 'finalize', 3) },
    { hoursAgo: 42, buildCalls: act(workshop, 'claim', 3) },
    { hoursAgo: 41, buildCalls: propose(workshop, 'creator', '1.5', 'Pay for the roof') },
    { hoursAgo: 40, buildCalls: commit(regatta, 7, '0.7') },
    { hoursAgo: 37, buildCalls: vote(workshop, 1n, 3, FOR) },
    {
      hoursAgo: 34,
      buildCalls: create(ferry, {
        token: token(2),
        title: 'A second ferry',
        ...goals('2', '20'),
        startAt: 32,
        endAt: 1.5,
      }),
    },
    { hoursAgo: 33, buildCalls: vote(workshop, 1n, 4, AGAINST) },
    { hoursAgo: 30, buildCalls: commit(ferry, 8, '1.5') },
    { hoursAgo: 28, buildCalls: vote(workshop, 1n, 5, FOR) },
    { hoursAgo: 25, buildCalls: act(regatta, 'finalize', 6) },
    { hoursAgo: 20, buildCalls: act(regatta, 'refund', 6) },
    { hoursAgo: 16, buildCalls: commit(ferry, 9, '2.2') },
    { hoursAgo: 15.5, buildCalls: exit(workshop, 1n, 4) },
    {
      hoursAgo: 14,
      buildCalls: create(cellar, {
        ...{ token: token(3), title: 'A cellar for turnips' },
        ...goals('3', '10'),
        startAt: 12,
        endAt: 48 * AHEAD,
      }),
    },
    { hoursAgo: 13, buildCalls: execute(1n) },
    { hoursAgo: 10, buildCalls: commit(cellar, 10, '0.8') },
    {
      hoursAgo: 9,
      buildCalls: create(club, {
        ...{ token: token(6), title: 'A club house' },
        ...goals('1', '5'),
        startAt: 30 * AHEAD,
        endAt: 60 * AHEAD,
      }),
    },
    {
      hoursAgo: 8,
      buildCalls: create(garden, {
        ...{ token: token(4), title: 'A garden on the quay' },
        ...goals('2', '8'),
        registrationStart: 6,
        startAt: 20 * AHEAD,
        endAt: 80 * AHEAD,
      }),
    },
    { hoursAgo: 7, buildCalls: act(club, 'cancel', 'creator') },
    { hoursAgo: 6.5, buildCalls: propose(workshop, 5, '1', 'Pay for the tools') },
    { hoursAgo: 5.5, buildCalls: act(garden, 'register', 11) },
    {
      hoursAgo: 5,
      buildCalls: create(tower, {
        ...{ token: token(5), title: 'A taller lighthouse' },
        ...goals('5', '15'),
        startAt: 10 * AHEAD,
        endAt: 70 * AHEAD,
      }),
    },
    { hoursAgo: 4.5, buildCalls: vote(workshop, 2n, 3, AGAINST) },
    { hoursAgo: 3.5, buildCalls: commit(cellar, 12, '1.1') },
    { hoursAgo: 3, buildCalls: act(garden, 'register', 13) },
    { hoursAgo: 2.5, buildCalls: vote(workshop, 2n, 5, ABSTAIN) },
    { hoursAgo: 2, buildCalls: vote(workshop, 2n, 3, FOR) },
    { hoursAgo: 0.6, buildCalls: act(garden, 'register', 14) },
    { hoursAgo: 0.4, buildCalls: commit(cellar, 14, '0.5') },
  ]
}
