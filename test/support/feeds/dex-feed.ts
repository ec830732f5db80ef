import { type Address, getAddress, parseUnits } from 'viem'

/*
 * The adapter specification (DEX Screener 1.1; GeckoTerminal's has the same events), implemented from its text alone.
 * Every function returns the problems that it finds.
 */
export interface FeedEvent {
  block: { blockNumber: number; blockTimestamp: number }
  eventType: string
  txnId: string
  txnIndex: number
  eventIndex: number
  maker: string
  pairId: string
  reserves?: { asset0: string; asset1: string }
  priceNative?: string
  asset0In?: string
  asset1In?: string
  asset0Out?: string
  asset1Out?: string
  amount0?: string
  amount1?: string
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
export const isChecksummed = (id: string) => getAddress(id as Address) === id
/** A pool of Uniswap V4 has an id of 32 bytes instead of an address. */
const isPairId = (id: string) => /^0x[0-9a-f]{64}$/.test(id) || isChecksummed(id)
/** Digits with at most as many decimals as the indexer reads; no sign, no exponent, no NaN. */
const isDecimal = (value: unknown) => typeof value === 'string' && /^\d+(\.\d{1,50})?$/.test(value)
const isPositive = (value: unknown) => isDecimal(value) && parseUnits(value as string, 50) > 0n

function findBlockProblems({ block }: FeedEvent): string[] {
  const known = isCount(block.blockNumber) && isCount(block.blockTimestamp)
  return known && block.blockTimestamp < 1e11 ? [] : ['the block needs a number, and a time in seconds']
}

function findSwapProblems(event: FeedEvent): string[] {
  const sides = [event.asset0In, event.asset1In, event.asset0Out, event.asset1Out]
  const given = sides.map((side) => side !== undefined)
  const buys = given.join() === 'false,true,true,false'
  const sells = given.join() === 'true,false,false,true'
  return [
    ...(buys || sells ? [] : ['a swap takes one asset and gives the other']),
    ...(sides.every((side) => side === undefined || isPositive(side)) ? [] : ['a swap has amounts above zero']),
    ...(isPositive(event.priceNative) ? [] : [`a swap has a price above zero, not ${event.priceNative}`]),
  ]
}

const findMoveProblems = (event: FeedEvent): string[] =>
  isPositive(event.amount0) && isPositive(event.amount1) ? [] : ['a join or exit moves both assets']

/** Problems of a single event. */
function findEventProblems(event: FeedEvent): string[] {
  const { reserves, eventType } = event
  return [
    ...findBlockProblems(event),
    ...(/^0x[0-9a-f]{64}$/.test(event.txnId) ? [] : ['txnId is a transaction hash']),
    ...(isCount(event.txnIndex) && isCount(event.eventIndex) ? [] : ['indexes are whole numbers']),
    ...(isChecksummed(event.maker) && isPairId(event.pairId) ? [] : ['addresses carry their checksum']),
    ...(reserves && isDecimal(reserves.asset0) && isDecimal(reserves.asset1) ? [] : ['reserves are decimals']),
    ...(eventType === 'swap' ? findSwapProblems(event) : []),
    ...(eventType === 'join' || eventType === 'exit' ? findMoveProblems(event) : []),
    ...(['swap', 'join', 'exit'].includes(eventType) ? [] : [`${eventType} is no type of event`]),
  ]
}

/** Problems of the events of several blocks together. */
export function findFeedProblems(events: readonly FeedEvent[], range: { from: number; to: number }): string[] {
  const problems = events.flatMap(findEventProblems)
  const transactions = new Map<string, string>()
  let before = [-1, -1, -1]
  for (const { block, txnIndex, eventIndex, txnId } of events) {
    const place = [block.blockNumber, txnIndex, eventIndex]
    if (block.blockNumber < range.from || block.blockNumber > range.to) problems.push(`${place} is out of range`)
    const at = place.findIndex((part, index) => part !== before[index])
    if (at < 0 || (place[at] as number) < (before[at] as number)) problems.push(`${place} comes after ${before}`)
    before = place
    const name = `${block.blockNumber}/${txnIndex}`
    if (txnIndex > eventIndex) problems.push(`${name} is the number of the first event of its transaction`)
    if ((transactions.get(name) ?? txnId) !== txnId) problems.push(`${name} is two transactions`)
    transactions.set(name, txnId)
  }
  if (new Set(transactions.values()).size !== transactions.size) problems.push('one transaction has two indexes')
  return [...new Set(problems)]
}
