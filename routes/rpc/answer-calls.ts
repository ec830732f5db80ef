import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config/config.ts'
import { type RpcResult, type RpcUpstreams, SEND_TRANSACTION } from '../../features/rpc-proxy/index.ts'
import { rpcLimits } from '../../schemas/rpc.ts'
import { checkParams } from './check-params.ts'
import { methods } from './methods.ts'
import { readId } from './parse-json.ts'
import { errorAnswer, RpcError } from './rpc-error.ts'

export interface Proxy {
  upstreams: RpcUpstreams
  /** Limits of calls. */
  bounds: Pick<Config['rpcProxy'], 'logRange' | 'gasCap' | 'overrides'>
  /** Deadline of all calls of the request, by performance.now(). */
  endsAt: number
  log: FastifyBaseLogger
}

/** Concurrent calls of one batch. With the limit of a response, this bounds the memory of a batch. */
const BATCH_WIDTH = 10

/** Response body for a request body; null if it contained notifications only. */
export async function answerBody(parsed: unknown, proxy: Proxy): Promise<string | null> {
  try {
    return Array.isArray(parsed) ? await answerBatch(parsed, proxy) : await answerCall(parsed, proxy)
  } catch (error) {
    return errorAnswer('null', toRpcError(error, proxy))
  }
}

async function answerBatch(calls: readonly unknown[], proxy: Proxy): Promise<string | null> {
  if (calls.length === 0) throw new RpcError('invalidRequest', 'A batch must hold at least one call')
  if (calls.length > rpcLimits.batch)
    throw new RpcError('limitExceeded', `A batch may hold at most ${rpcLimits.batch} calls`)
  const answers: string[] = []
  let room: number = rpcLimits.responseBytes
  const waiting = calls.values()
  const work = async () => {
    for (const call of waiting) {
      const full = room <= 0
      let answer = await answerCall(call, proxy, full)
      if (answer === null) continue
      room -= answer.length
      // A transaction that was sent cannot be rejected afterwards: its answer is short.
      if (room < 0 && !full && !isSend(call)) answer = (await answerCall(call, proxy, true)) as string
      answers.push(answer)
    }
  }
  await Promise.all(Array.from({ length: BATCH_WIDTH }, work))
  return answers.length > 0 ? `[${answers.join(',')}]` : null
}

const isSend = (call: unknown): boolean => (call as { method?: unknown } | null)?.method === SEND_TRANSACTION

/** Response to one call; null for a notification. With `full`, the call is rejected, not executed. */
async function answerCall(call: unknown, proxy: Proxy, full = false): Promise<string | null> {
  // An invalid request is not a notification, so it gets a response.
  let id: string | undefined = 'null'
  try {
    if (typeof call !== 'object' || call === null || Array.isArray(call))
      throw new RpcError('invalidRequest', 'A call must be an object')
    const given = readId(call)
    id = given ?? 'null'
    const { jsonrpc, method, params } = call as Record<string, unknown>
    if (jsonrpc !== '2.0') throw new RpcError('invalidRequest', 'jsonrpc must be "2.0"')
    if (typeof method !== 'string') throw new RpcError('invalidRequest', 'method must be a string')
    id = given
    // The result of a notification is not returned, so reads are skipped.
    if (id === undefined && method !== SEND_TRANSACTION) return null
    if (full) throw new RpcError('limitExceeded', 'The answers of this batch are too large')
    const { member, json } = await carryOut(method, params, proxy)
    return id === undefined ? null : `{"jsonrpc":"2.0","id":${id},"${member}":${json}}`
  } catch (error) {
    return id === undefined ? null : errorAnswer(id, toRpcError(error, proxy))
  }
}

async function carryOut(method: string, params: unknown, { upstreams, bounds, endsAt }: Proxy): Promise<RpcResult> {
  if (!methods.has(method)) throw new RpcError('methodNotFound', `The method ${method.slice(0, 64)} is not available`)
  const getHead = async (tag: string) => {
    const isNewest = tag === 'latest' || tag === 'pending'
    const { member, json } = isNewest
      ? await upstreams.call('eth_blockNumber', [], endsAt)
      : await upstreams.call('eth_getBlockByNumber', [tag, false], endsAt)
    if (member === 'error') throw new RpcError('internal', 'No node answered')
    const found = JSON.parse(json) as string | { number?: string } | null
    return Number(typeof found === 'string' ? found : found?.number)
  }
  return upstreams.call(method, await checkParams(method, params, { ...bounds, getHead }), endsAt)
}

function toRpcError(error: unknown, { log }: Proxy): RpcError {
  if (error instanceof RpcError) return error
  log.error({ err: error }, 'A JSON-RPC call failed')
  return new RpcError('internal', 'Internal error')
}
