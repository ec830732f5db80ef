import { type Address, type ContractFunctionArgs, encodeFunctionData, parseEther, zeroAddress } from 'viem'
import { raisesAbi } from '../../chain/abi/raises.ts'
import type { Call, Contracts } from './calls.ts'
import type { Deed } from './deed.ts'
import type { PlannedToken } from './planned-token.ts'
import { roundAmount } from './venue.ts'

const HOUR = 3_600
const GAS = { create: 1_000_000, other: 500_000 }
const [AGAINST, FOR, ABSTAIN] = [0, 1, 2]
/** What is planned for later than now is that many hours before it, so to speak. */
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
  /** Hours ago; without it nobody has to register. */
  registrationStart?: number
}

/** A raise that is being told: its id and its creator are known once it is created. */
interface Story {
  id: bigint
  creator: Address
}

interface Market {
  contracts: Contracts
  /** The first is the deployer; the others take part. */
  wallets: readonly Address[]
  /** Unix seconds of now. */
  endTime: number
}

/**
 * Raises in every state that there is, now: one finalised, with a proposal that was executed and one under vote, one that
 * failed and pays back, one that met its goal, one that is open, one that takes registrations, one to come and one that
 * was cancelled. `tokens` are sold by those who hold most of them; seven are needed.
 */
export function planRaises({ contracts, wallets, endTime }: Market, tokens: readonly PlannedToken[]): Deed[] {
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

  const create = (story: Story, terms: Terms) => (): Call[] => {
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
  const commit = (story: Story, from: number, coins: string) => () => {
    const data = encodeFunctionData({ abi: raisesAbi, functionName: 'commit', args: [story.id] })
    return [call(wallet(from), data, { value: parseEther(coins) })]
  }
  type Plain = 'register' | 'finalize' | 'claim' | 'refund' | 'cancel'
  const act = (story: Story, functionName: Plain, from: number | 'creator') => () => {
    const data = encodeFunctionData({ abi: raisesAbi, functionName, args: [story.id] })
    return [call(from === 'creator' ? story.creator : wallet(from), data)]
  }
  const propose = (story: Story, from: number | 'creator', coins: string, title: string) => () => {
    const args = [story.id, parseEther(coins), story.creator, title, ''] as const
    const data = encodeFunctionData({ abi: raisesAbi, functionName: 'propose', args })
    return [call(from === 'creator' ? story.creator : wallet(from), data)]
  }
  const vote = (proposal: bigint, from: number, support: number) => () => {
    const data = encodeFunctionData({ abi: raisesAbi, functionName: 'vote', args: [proposal, support] })
    return [call(wallet(from), data)]
  }
  const execute = (proposal: bigint) => () => {
    const data = encodeFunctionData({ abi: raisesAbi, functionName: 'execute', args: [proposal] })
    return [call(wallet(1), data)]
  }

  const tell = () => ({ id: 0n, creator: zeroAddress as Address })
  const [workshop, regatta, ferry, cellar, garden, tower, club] = Array.from({ length: 7 }, tell) as [
    Story,
    Story,
    Story,
    Story,
    Story,
    Story,
    Story,
  ]
  const goals = (goalMin: string, goalMax: string) => ({ goalMin, goalMax })
  return [
    {
      hoursAgo: 66,
      act: create(workshop, { token: token(0), title: 'A workshop', ...goals('4', '12'), startAt: 64, endAt: 44 }),
    },
    { hoursAgo: 62, act: commit(workshop, 3, '3') },
    { hoursAgo: 58, act: commit(workshop, 4, '2.5') },
    {
      hoursAgo: 52,
      act: create(regatta, { token: token(1), title: 'A regatta', ...goals('6', '9'), startAt: 50, endAt: 26 }),
    },
    { hoursAgo: 50.5, act: commit(workshop, 5, '1.2') },
    { hoursAgo: 47, act: commit(regatta, 6, '1') },
    { hoursAgo: 43, act: act(workshop, 'finalize', 3) },
    { hoursAgo: 42, act: act(workshop, 'claim', 3) },
    { hoursAgo: 41, act: propose(workshop, 'creator', '2', 'Pay for the roof') },
    { hoursAgo: 40, act: commit(regatta, 7, '0.7') },
    { hoursAgo: 37, act: vote(1n, 3, FOR) },
    {
      hoursAgo: 34,
      act: create(ferry, { token: token(2), title: 'A second ferry', ...goals('2', '20'), startAt: 32, endAt: 1.5 }),
    },
    { hoursAgo: 33, act: vote(1n, 4, AGAINST) },
    { hoursAgo: 30, act: commit(ferry, 8, '1.5') },
    { hoursAgo: 28, act: vote(1n, 5, FOR) },
    { hoursAgo: 25, act: act(regatta, 'finalize', 6) },
    { hoursAgo: 20, act: act(regatta, 'refund', 6) },
    { hoursAgo: 16, act: commit(ferry, 9, '2.2') },
    {
      hoursAgo: 14,
      act: create(cellar, {
        ...{ token: token(3), title: 'A cellar for turnips' },
        ...goals('3', '10'),
        startAt: 12,
        endAt: 48 * AHEAD,
      }),
    },
    { hoursAgo: 13, act: execute(1n) },
    { hoursAgo: 10, act: commit(cellar, 10, '0.8') },
    {
      hoursAgo: 9,
      act: create(club, {
        ...{ token: token(6), title: 'A club house' },
        ...goals('1', '5'),
        startAt: 30 * AHEAD,
        endAt: 60 * AHEAD,
      }),
    },
    {
      hoursAgo: 8,
      act: create(garden, {
        ...{ token: token(4), title: 'A garden on the quay' },
        ...goals('2', '8'),
        registrationStart: 6,
        startAt: 20 * AHEAD,
        endAt: 80 * AHEAD,
      }),
    },
    { hoursAgo: 7, act: act(club, 'cancel', 'creator') },
    { hoursAgo: 6.5, act: propose(workshop, 4, '1.5', 'Pay for the tools') },
    { hoursAgo: 5.5, act: act(garden, 'register', 11) },
    {
      hoursAgo: 5,
      act: create(tower, {
        ...{ token: token(5), title: 'A taller lighthouse' },
        ...goals('5', '15'),
        startAt: 10 * AHEAD,
        endAt: 70 * AHEAD,
      }),
    },
    { hoursAgo: 4.5, act: vote(2n, 3, FOR) },
    { hoursAgo: 3.5, act: commit(cellar, 12, '1.1') },
    { hoursAgo: 3, act: act(garden, 'register', 13) },
    { hoursAgo: 2.5, act: vote(2n, 4, ABSTAIN) },
    { hoursAgo: 0.6, act: act(garden, 'register', 14) },
    { hoursAgo: 0.4, act: commit(cellar, 14, '0.5') },
  ]
}
