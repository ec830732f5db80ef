import { bytesToHex, concatBytes, type Hex, hexToBytes, keccak256, toRlp } from 'viem'
import { Bloom } from './bloom.ts'
import type { RpcLog } from './log.ts'

/** A JSON-RPC receipt: the fields that its consensus encoding contains. */
export interface RpcBlockReceipt {
  transactionHash: Hex
  blockHash: Hex
  type?: Hex
  status?: Hex
  root?: Hex
  cumulativeGasUsed: Hex
  logs: RpcLog[]
  /** OP stack deposits only. */
  depositNonce?: Hex
  depositReceiptVersion?: Hex
}

/** logsBloom and receiptsRoot of a block with these receipts, in transaction order. */
export function digestReceipts(receipts: readonly RpcBlockReceipt[]): { logsBloom: Hex; receiptsRoot: Hex } {
  const ofBlock = new Bloom()
  const values = receipts.map((receipt) => {
    const bloom = new Bloom()
    for (const { address, topics } of receipt.logs) {
      for (const item of [address, ...topics]) {
        const lower = item.toLowerCase()
        bloom.add(lower)
        ofBlock.add(lower)
      }
    }
    return encodeReceipt(receipt, bloom)
  })
  return { logsBloom: bytesToHex(ofBlock.bytes), receiptsRoot: hashList(values) }
}

/** RLP quantity: no leading zeros, 0 is empty. */
const quantity = (hex: Hex): Hex => (BigInt(hex) === 0n ? '0x' : evenHex(BigInt(hex).toString(16)))
const evenHex = (digits: string): Hex => `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`

function encodeReceipt(receipt: RpcBlockReceipt, bloom: Bloom): Uint8Array {
  const { type = '0x0', status, root, cumulativeGasUsed, logs, depositNonce, depositReceiptVersion } = receipt
  const fields = [
    root ?? quantity(status ?? '0x0'),
    quantity(cumulativeGasUsed),
    bytesToHex(bloom.bytes),
    logs.map(({ address, topics, data }) => [address, topics, data]),
    // OP stack deposit receipts contain these fields since receipt version 1 (Canyon).
    ...(depositReceiptVersion ? [quantity(depositNonce ?? '0x0'), quantity(depositReceiptVersion)] : []),
  ]
  const encoded = toRlp(fields as Parameters<typeof toRlp>[0], 'bytes')
  return Number(type) === 0 ? encoded : concatBytes([new Uint8Array([Number(type)]), encoded])
}

/*
 * Merkle-Patricia trie of a list: values keyed by the RLP of their index, as nibbles. A node is [path, value] (leaf), [path,
 * node] (extension), or 16 nodes and a value (branch). A node is embedded in its parent if its RLP is shorter than 32 bytes,
 * else referenced by its hash.
 */
type Entry = { key: number[]; value: Uint8Array }
type Node = Uint8Array | (Uint8Array | Node)[]

const EMPTY = new Uint8Array()

/** Root hash of the trie of a list. `values` are the encoded items. */
export function hashList(values: readonly Uint8Array[]): Hex {
  if (values.length === 0) return keccak256(toRlp(EMPTY))
  const entries = values.map((value, index) => {
    const key = toRlp(index === 0 ? EMPTY : hexToBytes(evenHex(index.toString(16))), 'bytes')
    return { key: [...key].flatMap((byte) => [byte >> 4, byte & 15]), value }
  })
  return keccak256(toRlp(makeNode(entries, 0), 'bytes'))
}

/** The node for entries whose keys are equal up to `depth`. */
function makeNode(entries: readonly Entry[], depth: number): Node {
  const [first] = entries as [Entry]
  if (entries.length === 1) return [packPath(first.key.slice(depth), true), first.value]
  let shared = depth
  while (entries.every(({ key }) => key[shared] !== undefined && key[shared] === first.key[shared])) shared += 1
  if (shared > depth) return [packPath(first.key.slice(depth, shared), false), embed(makeNode(entries, shared))]
  const children = Array.from({ length: 16 }, (_, digit) => {
    const below = entries.filter(({ key }) => key[depth] === digit)
    return below.length === 0 ? EMPTY : embed(makeNode(below, depth + 1))
  })
  // Keys of a list trie are prefix-free.
  return [...children, EMPTY]
}

function embed(node: Node): Node {
  const encoded = toRlp(node, 'bytes')
  return encoded.length < 32 ? node : keccak256(encoded, 'bytes')
}

function packPath(digits: readonly number[], isLeaf: boolean): Uint8Array {
  const flag = isLeaf ? 2 : 0
  const all = digits.length % 2 === 0 ? [flag, 0, ...digits] : [flag + 1, ...digits]
  return Uint8Array.from({ length: all.length / 2 }, (_, index) => (all[index * 2]! << 4) | all[index * 2 + 1]!)
}
