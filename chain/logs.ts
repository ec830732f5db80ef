import type { Address, Hash, Hex } from 'viem'
import { MAX_AMOUNT } from './bounds.ts'

/** A log in JSON-RPC format: quantities are hex strings. */
export interface RpcLog {
  address: Address
  topics: Hex[]
  data: Hex
  blockNumber: Hex
  blockHash: Hash
  transactionHash: Hash
  logIndex: Hex
  /** Unix seconds. Newer nodes send it, which saves a request for the header. */
  blockTimestamp?: Hex
  removed?: boolean
}

/** A log of a known block: its binary record, and the frequently used fields as lower-case hex with 0x. */
export interface Log {
  logIndex: number
  txHash: string
  address: string
  topics: readonly string[]
  /** Holds the record: logIndex | txHash 32 | address 20 | topics n (1) | n x 32 | data length | data, integers as LEB128. */
  bytes: Buffer
  /** Offsets: start of the record, start of its data, end of both. */
  start: number
  dataAt: number
  end: number
}

export function parseLog(log: RpcLog): Log {
  const { transactionHash: txHash, address, topics, data } = log
  const isWhole = txHash.length === 66 && address.length === 42 && topics.every(({ length }) => length === 66)
  // One hex conversion of the joined fields takes half the time of one for each field.
  let hex = writeInteger(Number(log.logIndex)) + txHash.slice(2) + address.slice(2) + writeInteger(topics.length)
  for (const topic of topics) hex += topic.slice(2)
  hex += writeInteger((data.length - 2) / 2) + data.slice(2)
  const record = Buffer.from(hex, 'hex')
  if (!isWhole || record.length * 2 !== hex.length) throw new RangeError(`Not hex, or of a wrong length, in ${txHash}`)
  return readRecord(record, 0)
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Unsigned LEB128 as hex, without 0x. */
export function writeInteger(value: number): string {
  let hex = ''
  let rest = value
  while (rest > 127) {
    hex += BYTES[(rest % 128) | 128]
    rest = Math.floor(rest / 128)
  }
  return hex + BYTES[rest]
}

/** Unsigned LEB128 at an offset. */
export function readInteger(bytes: Buffer, at: number): number {
  let value = 0
  for (let shift = 1, from = at; ; shift *= 128, from++) {
    const byte = bytes[from]
    if (byte === undefined) throw new RangeError('Packed logs end early')
    value += (byte & 127) * shift
    if (byte < 128) return value
  }
}

/** Offset after the LEB128 at an offset. */
export function skipInteger(bytes: Buffer, at: number): number {
  let end = at
  while (bytes[end]! > 127) end++
  return end + 1
}

/** `count` consecutive records from `start`. */
export function readRecords(bytes: Buffer, start: number, count: number): Log[] {
  const logs: Log[] = []
  for (let at = start; logs.length < count; at = logs.at(-1)!.end) logs.push(readRecord(bytes, at))
  return logs
}

function readRecord(bytes: Buffer, start: number): Log {
  const txHashAt = skipInteger(bytes, start)
  const addressAt = txHashAt + 32
  const countAt = addressAt + 20
  // Allocated at its final length: a growing array over-allocates.
  const topics = new Array<string>(bytes[countAt] ?? 0)
  for (let index = 0; index < topics.length; index++) topics[index] = words.read(bytes, countAt + 1 + index * 32)
  const lengthAt = countAt + 1 + topics.length * 32
  const dataAt = skipInteger(bytes, lengthAt)
  const end = dataAt + readInteger(bytes, lengthAt)
  if (end > bytes.length) throw new RangeError('Packed logs end early')
  return {
    logIndex: readInteger(bytes, start),
    txHash: words.read(bytes, txHashAt),
    address: addresses.read(bytes, addressAt),
    topics,
    bytes,
    start,
    dataAt,
    end,
  }
}

/** Copies the record of a log out of its response, so that the memory of the response can be freed. */
export function detachLog(log: Log): void {
  const { bytes, start, dataAt, end } = log
  Object.assign(log, {
    bytes: Buffer.from(bytes.subarray(start, end)),
    start: 0,
    dataAt: dataAt - start,
    end: end - start,
  })
}

/*
 * Addresses and hashes repeat and serve as Map keys: interning avoids building and hashing equal strings again. Direct-mapped,
 * so that untrusted input cannot grow it.
 */
const CACHE_SLOTS = 1 << 16

/** Interned hex strings of values that are `size` bytes long. */
class HexCache {
  readonly #size: number
  readonly #texts: (string | undefined)[] = new Array(CACHE_SLOTS)
  readonly #bytes: Uint8Array

  constructor(size: number) {
    this.#size = size
    this.#bytes = new Uint8Array(CACHE_SLOTS * size)
  }

  read(bytes: Buffer, at: number): string {
    const size = this.#size
    const end = at + size
    if (end > bytes.length) throw new RangeError('Packed logs end early')
    const last = bytes[end - 1]! | (bytes[end - 2]! << 8) | (bytes[end - 3]! << 16) | (bytes[end - 4]! << 24)
    const slot = Math.imul(last, 0x9e3779b1) >>> 16
    const known = this.#texts[slot]
    const start = slot * size
    let equal = known === undefined ? 0 : size
    while (equal > 0 && this.#bytes[start + equal - 1] === bytes[at + equal - 1]) equal--
    if (known !== undefined && equal === 0) return known
    const text = `0x${bytes.toString('hex', at, end)}`
    this.#texts[slot] = text
    this.#bytes.set(bytes.subarray(at, end), start)
    return text
  }
}

const addresses = new HexCache(20)
/** Topics and transaction hashes. */
const words = new HexCache(32)

const ADDRESS_START = 26 // 0x and 24 zeros of padding before the 40 digits

/** Address by topic. */
const addressOf = new Map<string, string>()
const MAX_ADDRESSES = 100_000

/** The address in a 32-byte topic, as lower-case hex. */
export function parseTopicAddress(topic: string): string {
  const known = addressOf.get(topic)
  if (known !== undefined) return known
  if (addressOf.size >= MAX_ADDRESSES) addressOf.clear()
  const address = addresses.read(Buffer.from(topic.slice(ADDRESS_START), 'hex'), 0)
  addressOf.set(topic, address)
  return address
}

/** The address in the index-th topic. Throws RangeError if the topic is missing. */
export function topicAddress(log: Log, index: number): string {
  const topic = log.topics[index]
  if (topic?.length !== 66) throw new RangeError(`Log ${log.txHash}/${log.logIndex} has no topic ${index}`)
  return parseTopicAddress(topic)
}

/** The data as hex with 0x. */
export function dataHex({ bytes, dataAt, end }: Log): Hex {
  return `0x${bytes.toString('hex', dataAt, end)}`
}

const WORD_BYTES = 32
const scratch = Buffer.alloc(16)
const scratchView = new DataView(scratch.buffer, scratch.byteOffset, 16)

/** The unsigned integer in the index-th 32-byte word of the data. */
export function dataWord(log: Log, index: number): bigint {
  const { bytes } = log
  const start = wordAt(log, index)
  const end = start + WORD_BYTES
  let first = start
  while (first < end && bytes[first] === 0) first++
  // Fast path for amounts below 2^128.
  if (first < start + 16) return BigInt(`0x${bytes.toString('hex', start, end)}`)
  for (let at = 0; at < 16; at++) scratch[at] = bytes[start + 16 + at]!
  const low = scratchView.getBigUint64(8)
  return first >= start + 24 ? low : (scratchView.getBigUint64(0) << 64n) | low
}

/** The amount in the index-th word of the data. Throws RangeError above MAX_AMOUNT. */
export function dataAmount(log: Log, index: number): bigint {
  const amount = dataWord(log, index)
  if (amount > MAX_AMOUNT) throw new RangeError(`Log ${log.txHash}/${log.logIndex}: word ${index} is no amount`)
  return amount
}

/** The address in the index-th word of the data. */
export function dataAddress(log: Log, index: number): string {
  return addresses.read(log.bytes, wordAt(log, index) + WORD_BYTES - 20)
}

function wordAt(log: Log, index: number): number {
  const start = log.dataAt + index * WORD_BYTES
  if (start + WORD_BYTES > log.end) throw new RangeError(`Log ${log.txHash}/${log.logIndex} has no word ${index}`)
  return start
}
