import { SEND_TRANSACTION } from '../../features/rpc-proxy/index.ts'

/** Cost of a method in units of the global quota, by its load on a node; default 1. */
const COSTS: Readonly<Record<string, number>> = {
  [SEND_TRANSACTION]: 2,
  eth_call: 2,
  eth_getBlockByHash: 2,
  eth_getBlockByNumber: 2,
  eth_feeHistory: 5,
  eth_getProof: 5,
  eth_createAccessList: 10,
  eth_estimateGas: 10,
  eth_getBlockReceipts: 10,
  eth_getLogs: 10,
}

/** Cost of a request body: the sum of its calls, at least 1. */
export function costOf(body: unknown): number {
  const calls = Array.isArray(body) ? body : [body]
  return Math.max(
    1,
    calls.reduce<number>((sum, call) => sum + costOfCall(call), 0),
  )
}

const ANSWER_UNIT = 256 * 1024

/** Further cost of a response, which is known when it is there: 1 for each full 256 KiB. */
export const costOfAnswer = (answer: string): number => Math.floor(answer.length / ANSWER_UNIT)

function costOfCall(call: unknown): number {
  const { method } = Object(call) as { method?: unknown }
  return typeof method === 'string' && Object.hasOwn(COSTS, method) ? (COSTS[method] as number) : 1
}
