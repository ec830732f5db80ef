import { SEND_TRANSACTION } from '../../features/rpc-proxy/index.ts'
import { boundCall, type CallBounds, isExecuting } from './check-call.ts'
import { RpcError } from './rpc-error.ts'

/** Exceeds the parameter count of every method. */
const MAX_PARAMS = 8

/** Limit of addresses, and of topics per position, in one eth_getLogs; equals go-ethereum’s. */
const MAX_FILTER_VALUES = 1_000
const FILTER_FIELDS: ReadonlySet<string> = new Set(['address', 'topics', 'fromBlock', 'toBlock', 'blockHash'])
const MAX_PROOF_KEYS = 256
const MAX_FEE_BLOCKS = 1_024
const MAX_FEE_PERCENTILES = 16

const headTags = ['latest', 'pending', 'safe', 'finalized'] as const
type HeadTag = (typeof headTags)[number]

interface Bounds extends CallBounds {
  /** Maximum number of blocks of one eth_getLogs. */
  logRange: number
  /** Block number of a tag; called only if a range contains one. */
  getHead: (tag: HeadTag) => Promise<number>
}

/** Validates the parameters that the node does not, or that are expensive for it. Throws RpcError. */
export async function checkParams(method: string, params: unknown, bounds: Bounds): Promise<readonly unknown[]> {
  if (params === undefined) return []
  if (!Array.isArray(params)) throw new RpcError('invalidParams', 'params must be an array')
  if (params.length > MAX_PARAMS) throw new RpcError('invalidParams', `params may hold at most ${MAX_PARAMS} values`)
  if (method === SEND_TRANSACTION) checkTransaction(params)
  if (method === 'eth_getLogs') await checkLogRange(params, bounds)
  if (method === 'eth_getProof') checkProof(params)
  if (method === 'eth_feeHistory') checkFeeHistory(params)
  return isExecuting(method) ? boundCall(params, bounds) : params
}

function checkProof([, keys]: unknown[]): void {
  if (Array.isArray(keys) && keys.length > MAX_PROOF_KEYS)
    throw new RpcError('limitExceeded', `eth_getProof may ask for at most ${MAX_PROOF_KEYS} keys`)
}

function checkFeeHistory([count, , percentiles]: unknown[]): void {
  const blocks = typeof count === 'string' || typeof count === 'number' ? Number(count) : Number.NaN
  if (!(blocks >= 0)) throw new RpcError('invalidParams', 'the number of blocks must be a number in hexadecimal')
  if (blocks > MAX_FEE_BLOCKS || (Array.isArray(percentiles) && percentiles.length > MAX_FEE_PERCENTILES))
    throw new RpcError(
      'limitExceeded',
      `eth_feeHistory may span at most ${MAX_FEE_BLOCKS} blocks, with ${MAX_FEE_PERCENTILES} percentiles`,
    )
}

function checkTransaction([raw, ...rest]: unknown[]): void {
  if (typeof raw !== 'string' || !/^0x(?:[0-9a-fA-F]{2})+$/.test(raw) || rest.length > 0)
    throw new RpcError('invalidParams', 'params must be one signed transaction in 0x-prefixed hexadecimal')
}

async function checkLogRange([filter]: unknown[], { logRange, getHead }: Bounds): Promise<void> {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw new RpcError('invalidParams', 'params must be one filter object')
  // Nodes written in Go match names case-insensitively and use the last one: a second spelling would bypass the limit.
  const foreign = Object.keys(filter).find((name) => !FILTER_FIELDS.has(name))
  if (foreign !== undefined)
    throw new RpcError('invalidParams', `The filter has a field that is not known: ${foreign.slice(0, 64)}`)
  const { address, topics, blockHash, fromBlock, toBlock } = filter as Record<string, unknown>
  const lists = [address, ...(Array.isArray(topics) ? topics : [])]
  if (lists.length > 5 || lists.some((list) => Array.isArray(list) && list.length > MAX_FILTER_VALUES))
    throw new RpcError('limitExceeded', `A filter may hold at most ${MAX_FILTER_VALUES} addresses or topics at a place`)
  if (blockHash !== undefined && blockHash !== null) {
    const isAlone = (fromBlock ?? null) === null && (toBlock ?? null) === null
    if (isAlone && typeof blockHash === 'string' && /^0x[0-9a-fA-F]{64}$/.test(blockHash)) return
    throw new RpcError('invalidParams', 'blockHash must be a hash, without fromBlock and toBlock')
  }
  const [from, to] = [readBlock('fromBlock', fromBlock), readBlock('toBlock', toBlock)]
  if (from === to) return
  const [first, last] = await Promise.all([from, to].map((at) => (typeof at === 'number' ? at : getHead(at))))
  // Also rejects NaN.
  if (!((last as number) - (first as number) < logRange))
    throw new RpcError('limitExceeded', `eth_getLogs may span at most ${logRange} blocks`)
}

function readBlock(name: string, block: unknown): number | HeadTag {
  if (block === undefined || block === null) return 'latest'
  if (block === 'earliest') return 0
  const tag = headTags.find((one) => one === block)
  if (tag) return tag
  if (typeof block === 'string' && /^0x[0-9a-fA-F]{1,16}$/.test(block)) return Number(block)
  throw new RpcError('invalidParams', `${name} must be a block number in hexadecimal, or a tag`)
}
