import { type Address, parseAbi, toEventSelector } from 'viem'
import type { Chain } from '../rpc/client.ts'
import { isNodeFailure } from '../rpc/node-failure.ts'

/** topic0 of the event that carries a price. */
export const ANSWER_UPDATED = toEventSelector('AnswerUpdated(int256,uint256,uint256)')

/**
 * Functions of Chainlink's EACAggregatorProxy. Each phase has an aggregator, which emits AnswerUpdated; the proxy emits nothing.
 */
const proxyAbi = parseAbi([
  'function aggregator() view returns (address)',
  'function phaseId() view returns (uint16)',
  'function phaseAggregators(uint16) view returns (address)',
])

/** Only the newest phases are read. Chainlink's feeds have fewer than ten. */
const MAX_PHASES = 100

/** The contracts of a price feed at the head of the chain. Addresses are in lower case. */
export interface FeedAggregators {
  /** The aggregator behind the proxy; null if the feed is not a proxy. */
  current: string | null
  /** All contracts whose AnswerUpdated is a price of the feed: the feed, and the aggregators of all phases. */
  emitters: ReadonlySet<string>
}

/**
 * Reads the aggregators of a price feed at the head. A contract that reverts or returns invalid data is not a proxy. Rejects
 * if the node fails.
 */
export async function readFeedAggregators({ client }: Chain, feed: string): Promise<FeedAggregators> {
  const proxy = { address: feed as Address, abi: proxyAbi }
  const [current, phaseId] = await Promise.all([
    readAggregator(client.readContract({ ...proxy, functionName: 'aggregator' })),
    read(client.readContract({ ...proxy, functionName: 'phaseId' })),
  ])
  const newest = phaseId !== null && phaseId <= 0xffff ? phaseId : 0
  const phases = Array.from({ length: Math.min(newest, MAX_PHASES) }, (_, age) => newest - age)
  const ofPhases = await Promise.all(
    phases.map((phase) =>
      readAggregator(client.readContract({ ...proxy, functionName: 'phaseAggregators', args: [phase] })),
    ),
  )
  return { current, emitters: new Set([feed, current, ...ofPhases].filter((address) => address !== null)) }
}

/** `current` of readFeedAggregators, by one request. */
export async function readCurrentAggregator({ client }: Chain, feed: string): Promise<string | null> {
  return readAggregator(client.readContract({ address: feed as Address, abi: proxyAbi, functionName: 'aggregator' }))
}

async function readAggregator(reading: Promise<Address>): Promise<string | null> {
  const address = await read(reading)
  return address === null || BigInt(address) === 0n ? null : address.toLowerCase()
}

/** null if the contract does not answer the call. */
async function read<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (isNodeFailure(error)) throw error
    return null
  }
}
