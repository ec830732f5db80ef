import type { Address, Hash, Hex } from 'viem'
import { MAX_AMOUNT } from '../bounds.ts'

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

/**
 * A log of a known block: its binary record. The fields that filters read are kept, the others are read when they are needed: a
 * backfill holds more than a hundred thousand logs at a time. Hashes and addresses are lower-case hex with 0x.
 *
 * Layout: logIndex | txHash 32 | address 20 | topics n (1) | n x 32 | data length | data, integers as LEB128.
 */
export class Log {
  /** Holds the record. */
  bytes: Buffer
  /** Offsets: of the record, of its transaction hash, of its data, of the end of both. */
  start: number
  #hashAt: number
  dataAt: number
  end: number
  readonly logIndex: number
  readonly address: string
  /** The first topic; empty if there is none. */
  readonly topic0: string

  /** Throws RangeError if the bytes end before the record. */
  constructor(bytes: Buffer, start: number) {
    this.bytes = bytes
    this.start = start
    const hashAt = skipInteger(bytes, start)
    const count = bytes[hashAt + COUNT_OFFSET] ?? 0
    const lengthAt = hashAt + TOPICS_OFFSET + count * WORD_BYTES
    this.#hashAt = hashAt
    this.dataAt = skipInteger(bytes, lengthAt)
    this.end = this.dataAt + readInteger(bytes, lengthAt)
    if (this.end > bytes.length) throw new RangeError('Packed logs end early')
    this.logIndex = readInteger(bytes, start)
    this.address = addresses.read(bytes, hashAt + ADDRESS_OFFSET)
    this.topic0 = count === 0 ? '' : words.read(bytes, hashAt + TOPICS_OFFSET)
  }

  /** A new string each time: unlike topics, a hash is read once or twice. */
  get txHash(): string {
    return `0x${this.bytes.toString('hex', this.#hashAt, this.#hashAt + WORD_BYTES)}`
  }

  /** Whether another log is of the same transaction. */
  hasTransactionOf(other: Log): boolean {
    for (let at = 0; at < WORD_BYTES; at++) {
      if (this.bytes[this.#hashAt + at] !== other.bytes[other.#hashAt + at]) return false
    }
    return true
  }

  /** Whether another log has the same index and contents. */
  equals(other: Log): boolean {
    return this.bytes.compare(other.bytes, other.start, other.end, this.start, this.end) === 0
  }

  get topicCount(): number {
    return this.bytes[this.#hashAt + COUNT_OFFSET]!
  }

  /** Undefined if there are fewer. */
  topic(index: number): string | undefined {
    if (index >= this.topicCount) return undefined
    return words.read(this.bytes, this.#hashAt + TOPICS_OFFSET + index * WORD_BYTES)
  }

  /** The address in a topic. Throws RangeError if the topic is missing. */
  topicAddress(index: number): string {
    if (index >= this.topicCount) throw new RangeError(`Log ${this.txHash}/${this.logIndex} has no topic ${index}`)
    return addresses.read(this.bytes, this.#hashAt + TOPICS_OFFSET + (index + 1) * WORD_BYTES - ADDRESS_BYTES)
  }

  get topics(): readonly string[] {
    return Array.from({ length: this.topicCount }, (_, index) => this.topic(index)!)
  }

  /** Copies the record out of its response, so that the memory of the response can be freed. */
  detach(): void {
    this.bytes = Buffer.from(this.bytes.subarray(this.start, this.end))
    this.#hashAt -= this.start
    this.dataAt -= this.start
    this.end -= this.start
    this.start = 0
  }
}

const WORD_BYTES = 32
/** Offsets of the fields after the transaction hash. */
const ADDRESS_OFFSET = 32
const ADDRESS_BYTES = 20
const COUNT_OFFSET = ADDRESS_OFFSET + ADDRESS_BYTES
const TOPICS_OFFSET = COUNT_OFFSET + 1

export function parseLog(log: RpcLog): Log {
  const { transactionHash: txHash, address, topics, data } = log
  const isWhole = txHash.length === 66 && address.length === 42 && topics.every(({ length }) => length === 66)
  // One hex conversion of the joined fields takes half the time of one for each field.
  let hex = writeInteger(Number(log.logIndex)) + txHash.slice(2) + address.slice(2) + writeInteger(topics.length)
  for (const topic of topics) hex += topic.slice(2)
  hex += writeInteger((data.length - 2) / 2) + data.slice(2)
  const record = Buffer.from(hex, 'hex')
  if (!isWhole || record.length * 2 !== hex.length) throw new RangeError(`Not hex, or of a wrong length, in ${txHash}`)
  return new Log(record, 0)
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
  // Allocated at its final length: a growing array over-allocates.
  const logs = new Array<Log>(count)
  let at = start
  for (let index = 0; index < count; index++) {
    const log = new Log(bytes, at)
    logs[index] = log
    at = log.end
  }
  return logs
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
/** Topics. */
const words = new HexCache(32)

/** The data as hex with 0x. */
export function dataHex({ bytes, dataAt, end }: Log): Hex {
  return `0x${bytes.toString('hex', dataAt, end)}`
}

/** A view of the bytes that were read last: those of a response hold thousands of logs. */
let view: DataView = new DataView(new ArrayBuffer(0))
let viewed: Buffer | undefined

function viewOf(bytes: Buffer): DataView {
  if (bytes !== viewed) {
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    viewed = bytes
  }
  return view
}

/** The unsigned integer in the index-th 32-byte word of the data. */
export const dataWord = (log: Log, index: number): bigint => wordFrom(log, log.dataAt + index * WORD_BYTES)

function wordFrom(log: Log, start: number): bigint {
  const { bytes } = log
  requireWord(log, start)
  const words = viewOf(bytes)
  const isZero = (at: number) => (words.getInt32(start + at) | words.getInt32(start + at + 4)) === 0
  // Fast path for amounts below 2^128.
  if (!isZero(0) || !isZero(8)) return BigInt(`0x${bytes.toString('hex', start, start + WORD_BYTES)}`)
  const low = words.getBigUint64(start + 24)
  return isZero(16) ? low : (words.getBigUint64(start + 16) << 64n) | low
}

/** The amount in the index-th word of the data. Throws RangeError above MAX_AMOUNT. */
export function dataAmount(log: Log, index: number): bigint {
  const amount = dataWord(log, index)
  if (amount > MAX_AMOUNT) throw new RangeError(`Log ${log.txHash}/${log.logIndex}: word ${index} is no amount`)
  return amount
}

/** The signed amount in the index-th word of the data. Throws RangeError if its absolute value exceeds MAX_AMOUNT. */
export function dataSignedAmount(log: Log, index: number): bigint {
  const amount = BigInt.asIntN(256, dataWord(log, index))
  if ((amount < 0n ? -amount : amount) > MAX_AMOUNT)
    throw new RangeError(`Log ${log.txHash}/${log.logIndex}: word ${index} is no amount`)
  return amount
}

/** The address in the index-th word of the data. */
export function dataAddress(log: Log, index: number): string {
  const start = log.dataAt + index * WORD_BYTES
  requireWord(log, start)
  return addresses.read(log.bytes, start + WORD_BYTES - ADDRESS_BYTES)
}

/**
 * The string whose offset is the index-th word of the data, as the ABI encodes it: the length in bytes, then UTF-8. Invalid
 * UTF-8 becomes U+FFFD. Throws RangeError if it does not end within the data.
 */
export function dataText(log: Log, index: number): string {
  const lengthAt = log.dataAt + Number(dataWord(log, index))
  const start = lengthAt + WORD_BYTES
  const length = wordFrom(log, lengthAt)
  if (length > log.end - start)
    throw new RangeError(`Log ${log.txHash}/${log.logIndex}: text ${index} ends after the data`)
  return log.bytes.toString('utf8', start, start + Number(length))
}

/**
 * The words of the array whose offset is the index-th word of the data. Throws RangeError if it does not end within the data, or
 * is longer than `max`.
 */
export function dataArray(log: Log, index: number, max: number): bigint[] {
  const start = log.dataAt + Number(dataWord(log, index))
  const length = wordFrom(log, start)
  if (length > max) throw new RangeError(`Log ${log.txHash}/${log.logIndex}: array ${index} is longer than ${max}`)
  return Array.from({ length: Number(length) }, (_, at) => wordFrom(log, start + (at + 1) * WORD_BYTES))
}

function requireWord(log: Log, start: number): void {
  if (start + WORD_BYTES <= log.end) return
  throw new RangeError(`Log ${log.txHash}/${log.logIndex} has no word at byte ${start - log.dataAt}`)
}
