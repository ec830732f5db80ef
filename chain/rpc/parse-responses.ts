import type { Hash, Hex } from 'viem'
import type { RpcLog } from '../logs/log.ts'
import type { RpcBlockReceipt } from '../logs/receipts-root.ts'
import { InvalidResponseError } from './node-failure.ts'

export interface Header {
  number: number
  hash: string
  parentHash: string
  /** Unix seconds. */
  time: number
  /** Present if what the node sends is valid. */
  logsBloom?: Hex
  receiptsRoot?: Hex
}

export interface Receipt {
  txHash: string
  blockNumber: number
  blockHash: string
  status: 'success' | 'reverted'
}

export interface RpcBlock {
  number: Hex
  hash: Hash
  parentHash: Hash
  timestamp: Hex
  logsBloom?: Hex
  receiptsRoot?: Hex
}

interface RpcReceipt {
  transactionHash: Hash
  blockNumber: Hex | null
  blockHash: Hash | null
  status: Hex
}

/** Some nodes pad quantities with zeros. */
const QUANTITY = /^0x0*[0-9a-f]{1,13}$/i
const BLOOM = /^0x[0-9a-f]{512}$/i
const HASH = /^0x[0-9a-f]{64}$/i
const ADDRESS = /^0x[0-9a-f]{40}$/i
const DATA = /^0x(?:[0-9a-f]{2})*$/i

const is = (pattern: RegExp, ...values: unknown[]) =>
  values.every((value) => typeof value === 'string' && pattern.test(value))

function check(ok: boolean, what: string): asserts ok {
  if (!ok) throw new InvalidResponseError(`The node answered with ${what}`)
}

/** Parses a block response; null if there is no such block. Throws InvalidResponseError if it is invalid or another block. */
export function parseHeader(answer: unknown, wanted: { number?: number; hash?: string } = {}): Header | null {
  if (answer === null) return null
  const { number, hash, parentHash, timestamp, logsBloom, receiptsRoot } = Object(answer) as RpcBlock
  check(is(QUANTITY, number, timestamp) && is(HASH, hash, parentHash), 'what is no block')
  const isWanted = wanted.number === undefined || Number(number) === wanted.number
  check(isWanted && (wanted.hash === undefined || isSameHex(hash, wanted.hash)), 'another block')
  return {
    number: Number(number),
    hash,
    parentHash,
    time: Number(timestamp),
    ...(is(BLOOM, logsBloom) && { logsBloom: logsBloom as Hex }),
    ...(is(HASH, receiptsRoot) && { receiptsRoot: receiptsRoot as Hex }),
  }
}

/** Parses a receipt response; null if not mined. Throws InvalidResponseError if it is invalid or another transaction's. */
export function parseReceipt(answer: unknown, txHash: string): Receipt | null {
  if (answer === null) return null
  const { transactionHash, blockNumber, blockHash, status } = Object(answer) as RpcReceipt
  // Some nodes return a receipt without a block for a pending transaction.
  if (blockNumber === null && blockHash === null) return null
  check(is(HASH, transactionHash, blockHash) && is(QUANTITY, blockNumber, status), 'what is no receipt')
  check(isSameHex(transactionHash, txHash), 'the receipt of another transaction')
  return {
    txHash: transactionHash,
    blockNumber: Number(blockNumber),
    blockHash: blockHash as Hash,
    status: Number(status) === 1 ? 'success' : 'reverted',
  }
}

export interface RpcCall {
  method: string
  params?: unknown
}

/** Throws InvalidResponseError if a response cannot belong to the call, so that another node is tried. */
export function validateResponse({ method, params }: RpcCall, answer: unknown): void {
  validators[method]?.(answer, (params ?? []) as unknown[])
}

type Validate = (answer: unknown, params: readonly unknown[]) => void

const validateQuantity: Validate = (answer) => check(is(QUANTITY, answer), 'what is no number')
const validateData: Validate = (answer) => check(is(DATA, answer), 'what is no data')

/** A validator for the result of each method that this service sends. */
const validators: Readonly<Record<string, Validate>> = {
  eth_blockNumber: validateQuantity,
  eth_call: validateData,
  eth_chainId: validateQuantity,
  eth_getBlockByHash: (answer, [hash]) => void parseHeader(answer, { hash: String(hash) }),
  eth_getBlockByNumber: (answer, [at]) => {
    parseHeader(answer, is(QUANTITY, at) ? { number: Number(at) } : {})
    check(answer !== null || at !== 'latest', 'no newest block')
  },
  eth_getBlockReceipts: (answer) => void parseBlockReceipts(answer),
  eth_getCode: validateData,
  eth_getLogs: (answer) => void parseLogs(answer),
  eth_getTransactionByHash: (answer, [hash]) => {
    const { hash: given } = Object(answer) as { hash?: string }
    check(answer === null || (is(HASH, given) && isSameHex(given as string, String(hash))), 'another transaction')
  },
  eth_getTransactionReceipt: (answer, [hash]) => void parseReceipt(answer, String(hash)),
}

/** Parses an eth_getLogs response. Some nodes send null for no logs. Throws InvalidResponseError. */
export function parseLogs(answer: unknown): RpcLog[] {
  if (answer === null) return []
  check(Array.isArray(answer), 'what is no list of logs')
  const logs = answer.map(withTopics)
  check(logs.every(isLog), 'what is no list of logs')
  return logs
}

/** Parses an eth_getBlockReceipts response; null if there is no such block. Throws InvalidResponseError. */
export function parseBlockReceipts(answer: unknown): RpcBlockReceipt[] | null {
  if (answer === null) return null
  check(Array.isArray(answer), 'what is no list of receipts')
  return answer.map((one: unknown) => {
    const receipt = Object(one) as RpcBlockReceipt
    const { transactionHash, blockHash, cumulativeGasUsed, logs } = receipt
    check(is(HASH, transactionHash, blockHash) && is(QUANTITY, cumulativeGasUsed), 'what is no receipt')
    check(Array.isArray(logs), 'a receipt without logs')
    return { ...receipt, logs: parseLogs(logs) }
  })
}

/** Some nodes send null for the topics of a log that has none. */
const withTopics = (log: unknown): RpcLog => {
  const given = Object(log) as RpcLog
  return given.topics === null ? { ...given, topics: [] } : given
}

function isLog(log: RpcLog): boolean {
  const { address, topics, data, blockNumber, blockHash, transactionHash, logIndex } = log
  return (
    is(HASH, blockHash, transactionHash) &&
    is(QUANTITY, blockNumber, logIndex) &&
    is(ADDRESS, address) &&
    is(DATA, data) &&
    Array.isArray(topics) &&
    topics.length <= 4 &&
    is(HASH, ...topics)
  )
}

const isSameHex = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
