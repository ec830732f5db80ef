import { SEND_TRANSACTION } from '../../plugins/rpc-upstreams.ts'
import { RpcError } from './rpc-error.ts'

/** More than any method has. */
const MAX_PARAMS = 8

interface Bounds {
  /** Blocks that one eth_getLogs may span. */
  logRange: number
  /** The newest block; asked for only where a range reaches up to it. */
  getHead: () => Promise<number>
}

/** The parameters of a call, checked as far as the node would not do it, or it would cost it too much. */
export async function checkParams(method: string, params: unknown, bounds: Bounds): Promise<readonly unknown[]> {
  if (params === undefined) return []
  if (!Array.isArray(params)) throw new RpcError('invalidParams', 'params must be an array')
  if (params.length > MAX_PARAMS) throw new RpcError('invalidParams', `params may hold at most ${MAX_PARAMS} values`)
  if (method === SEND_TRANSACTION) checkTransaction(params)
  if (method === 'eth_getLogs') await checkLogRange(params, bounds)
  return params
}

function checkTransaction([raw, ...rest]: unknown[]): void {
  if (typeof raw !== 'string' || !/^0x(?:[0-9a-fA-F]{2})+$/.test(raw) || rest.length > 0)
    throw new RpcError('invalidParams', 'params must be one signed transaction in 0x-prefixed hexadecimal')
}

async function checkLogRange([filter]: unknown[], { logRange, getHead }: Bounds): Promise<void> {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw new RpcError('invalidParams', 'params must be one filter object')
  const { blockHash, fromBlock, toBlock } = filter as Record<string, unknown>
  if (blockHash !== undefined && blockHash !== null) return
  const [from, to] = [readBlock('fromBlock', fromBlock), readBlock('toBlock', toBlock)]
  // The tags near the head are some dozens of blocks apart at most.
  if (from === 'head' && to === 'head') return
  const head = from === 'head' || to === 'head' ? await getHead() : 0
  const span = (to === 'head' ? head : to) - (from === 'head' ? head : from) + 1
  if (span > logRange) throw new RpcError('limitExceeded', `eth_getLogs may span at most ${logRange} blocks`)
}

function readBlock(name: string, block: unknown): number | 'head' {
  if (block === undefined || block === null) return 'head'
  if (block === 'earliest') return 0
  if (['latest', 'pending', 'safe', 'finalized'].includes(block as string)) return 'head'
  if (typeof block === 'string' && /^0x[0-9a-fA-F]{1,16}$/.test(block)) return Number(block)
  throw new RpcError('invalidParams', `${name} must be a block number in hexadecimal, or a tag`)
}
