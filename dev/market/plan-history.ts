import { createHash } from 'node:crypto'
import type { Address } from 'viem'
import { type Call, makePriceUpdate, makeProtocolFeeClaim } from './calls.ts'
import { catalogue } from './catalogue.ts'
import { planRaises } from './plan-raises.ts'
import { planStaking } from './plan-staking.ts'
import { type Participants, PlannedToken } from './planned-token.ts'
import { createRandom, type Random } from './random.ts'
import type { ScheduledAction } from './scheduled-action.ts'

export interface PlannedBlock {
  /** Unix seconds. */
  time: number
  calls: Call[]
}

export interface History {
  blocks: PlannedBlock[]
  tokens: PlannedToken[]
  trades: number
}

export const HISTORY_SECONDS = 72 * 3_600
/** Few, because anvil slows down with the height. */
const BLOCKS = 240
/** Above 1: blocks are denser in the last hours. */
const DENSITY = 1.7
const GRADUATION_DELAY_SECONDS = 60
const PRICE_INTERVAL_SECONDS = 2 * 3_600
const TRANSFERS_PER_TRADE = 0.06
const USD = 100_000_000

/** Tokens sold in raises, in the order of planRaises. */
const raiseTokens = [
  'Slow Tortoise',
  'Marzipan',
  'Night Ferry',
  'Turnip Futures',
  'Moss Garden',
  'Signal Fire',
  'Lantern Club',
]

/** A token with the indexes of its blocks. */
interface TokenPlan {
  token: PlannedToken
  launchBlock: number
  tradeBlocks: number[]
  completedAt?: number
}

/**
 * Plans the demonstration market's history up to `endTime`, transaction by transaction. The same seed yields the same
 * calls in the same order; `endTime` only shifts the block times.
 */
export function planHistory({
  seed,
  endTime,
  ...chain
}: Omit<Participants, 'outsiders'> & { seed: string; endTime: number }): History {
  const crowd: Participants = { ...chain, outsiders: [1, 2, 3, 4, 5].map((index) => makeOutsider(seed, index)) }
  const random = createRandom(seed)
  const times = Array.from({ length: BLOCKS }, (_, index) => {
    const back = HISTORY_SECONDS * (1 - (index + 1) / BLOCKS) ** DENSITY
    return endTime - Math.round(back)
  })
  const parts = catalogue.map((_, order) => planToken(crowd, order, seed, times, endTime))
  const deployer = crowd.wallets[0] as Address
  const price = createPriceWalk(random)
  let pricedAt = 0
  const actions = planActions(crowd, endTime, parts)
  const blocks = times.map((time, index) => {
    const calls: Call[] = []
    if (time - pricedAt >= PRICE_INTERVAL_SECONDS) {
      // The first update precedes all trades, so that every trade has a USD value.
      calls.push(makePriceUpdate(crowd.contracts, deployer, price()))
      pricedAt = time
    }
    for (const { token, launchBlock } of parts) if (launchBlock === index) calls.push(...token.launch())
    for (const part of random.shuffle(parts)) calls.push(...tradeInBlock(part, index, times, random))
    if (index === BLOCKS - 30) for (const at of [0, 2]) calls.push(...(parts[at] as TokenPlan).token.claimFees())
    if (index === BLOCKS - 20) calls.push(makeProtocolFeeClaim(crowd.contracts, deployer))
    while (actions[0] && time >= endTime - actions[0].hoursAgo * 3_600)
      calls.push(...(actions.shift() as ScheduledAction).buildCalls())
    return { time, calls }
  })
  const tokens = parts.map(({ token }) => token)
  const eventful = blocks.filter(({ calls }, index) => calls.length > 0 || index === BLOCKS - 1)
  return { blocks: eventful, tokens, trades: tokens.reduce((sum, token) => sum + token.trades, 0) }
}

/** Staking and raise actions, in order of time. */
function planActions(crowd: Participants, endTime: number, parts: readonly TokenPlan[]): ScheduledAction[] {
  const tokens = new Map(parts.map(({ token }) => [token.listing.name, token]))
  const named = (name: string) => {
    const token = tokens.get(name)
    if (!token) throw new Error(`The catalogue has no ${name}`)
    return token
  }
  const { contracts, wallets } = crowd
  const pools = { first: named('Harbor Cat'), second: named('Paper Kite') }
  const actions = [
    ...planStaking(contracts, wallets[0] as Address, pools),
    ...planRaises({ contracts, wallets, endTime }, raiseTokens.map(named)),
  ]
  return actions.toSorted((a, b) => b.hoursAgo - a.hoursAgo)
}

function planToken(
  crowd: Participants,
  order: number,
  seed: string,
  times: readonly number[],
  endTime: number,
): TokenPlan {
  const listing = catalogue[order] as (typeof catalogue)[number]
  const random = createRandom(`${seed}:${order}`)
  const token = new PlannedToken(crowd, listing, order, random)
  const launchTime = endTime - listing.launchedHoursAgo * 3_600
  const launchBlock = Math.max(0, indexAt(times, launchTime))
  const first = launchBlock + 1
  const tradeBlocks = Array.from({ length: listing.trades - Math.sign(listing.firstBuy) }, () =>
    // Half are uniform over time, half over blocks, which are denser in the last hours.
    random.chance(0.5)
      ? Math.max(first, indexAt(times, random.between(launchTime, endTime)))
      : first + random.integer(times.length - first),
  )
  // One trade near the end, so that every token ends near its last level.
  if (tradeBlocks.length > 1) tradeBlocks[0] = times.length - 1 - random.integer(Math.min(6, times.length - first))
  return { token, launchBlock, tradeBlocks: tradeBlocks.toSorted((a, b) => a - b) }
}

function tradeInBlock(part: TokenPlan, index: number, times: readonly number[], random: Random): Call[] {
  const { token, launchBlock, tradeBlocks } = part
  const [time, launchTime, endTime] = [index, launchBlock, times.length - 1].map((at) => times[at] as number) as [
    number,
    number,
    number,
  ]
  if (token.status === 'completed') {
    part.completedAt ??= times[index - 1] as number
    const isDue = time - part.completedAt >= GRADUATION_DELAY_SECONDS
    return token.listing.ending === 'graduated' && isDue ? token.graduate() : []
  }
  const calls: Call[] = []
  while ((tradeBlocks[0] ?? index + 1) <= index) {
    // Trades planned between completion and graduation are skipped.
    if (tradeBlocks.shift() !== index) continue
    calls.push(...token.trade((time - launchTime) / (endTime - launchTime)))
    if (random.chance(TRANSFERS_PER_TRADE)) calls.push(...token.transfer())
  }
  return calls
}

/** Index of the last block at or before a time. */
function indexAt(times: readonly number[], time: number): number {
  return times.findLastIndex((one) => one <= time)
}

/** US dollars per native coin, around 3,000, with 8 decimals. */
function createPriceWalk(random: Random): () => bigint {
  let price = 3_000
  return () => {
    price += random.normal() * 22 + (3_000 - price) * 0.06
    return BigInt(Math.round(price * 100)) * BigInt(USD / 100)
  }
}

function makeOutsider(seed: string, index: number): Address {
  return `0x${createHash('sha256').update(`${seed}:stranger:${index}`).digest('hex').slice(0, 40)}`
}
