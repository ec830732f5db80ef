import type { Address, Hash, Hex } from 'viem'

/** A log as JSON-RPC serves it: every quantity a hex string. */
export interface RpcLog {
  address: Address
  topics: Hex[]
  data: Hex
  blockNumber: Hex
  blockHash: Hash
  transactionHash: Hash
  logIndex: Hex
  /** Unix seconds. Newer nodes send it, and save a request for the header. */
  blockTimestamp?: Hex
  removed?: boolean
}

/** A log of one known block: addresses, topics and data are lower-case hex with 0x. */
export interface Log {
  logIndex: number
  txHash: string
  address: string
  topics: readonly string[]
  data: string
}

export function parseLog(log: RpcLog): Log {
  return {
    logIndex: Number(log.logIndex),
    txHash: log.transactionHash,
    address: intern(log.address),
    topics: log.topics,
    data: log.data,
  }
}

const ADDRESS_START = 26 // 0x and 24 zeros of padding before the 40 digits
const WORD_DIGITS = 64

/*
 * Addresses come again and again, and are looked up in maps: of equal strings one is kept, which is hashed once and is equal
 * to itself at a glance. By what they were written as: an address, or the topic that ends in it.
 */
const interned = new Map<string, string>()
const MAX_INTERNED = 100_000

function intern(text: string): string {
  const known = interned.get(text)
  if (known !== undefined) return known
  if (interned.size >= MAX_INTERNED) interned.clear()
  const address = text.length === 66 ? intern(`0x${text.slice(ADDRESS_START)}`) : text.toLowerCase()
  interned.set(text, address)
  return address
}

/** The address in a topic. */
export function parseTopicAddress(topic: string): string {
  return intern(topic)
}

/** The address in an indexed topic. */
export function topicAddress(log: Log, index: number): string {
  const topic = log.topics[index]
  if (topic?.length !== 66) throw new RangeError(`Log ${log.txHash}/${log.logIndex} has no topic ${index}`)
  return intern(topic)
}

/** The unsigned integer in the index-th 32-byte word of the data. */
export function dataWord(log: Log, index: number): bigint {
  const start = 2 + index * WORD_DIGITS
  const end = start + WORD_DIGITS
  if (log.data.length < end) throw new RangeError(`Log ${log.txHash}/${log.logIndex} has no word ${index}`)
  return BigInt(`0x${log.data.slice(start, end)}`)
}
