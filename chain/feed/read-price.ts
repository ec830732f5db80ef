import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { priceFeedAbi } from '../abi/price-feed.ts'
import { validUsdOrNull } from '../bounds.ts'
import { isExecutionError, NO_BLOCK } from '../rpc/node-failure.ts'

/** The node has pruned the state of that block. Logs and header may still be available. */
export class StateUnavailableError extends Error {
  override name = 'StateUnavailableError'
}

const latestRoundData = { abi: priceFeedAbi, functionName: 'latestRoundData' } as const

/** eth_call parameters for latestRoundData of a Chainlink feed. */
export const feedCall = (feed: string): { to: Address; data: Hex } => ({
  to: feed as Address,
  data: encodeFunctionData(latestRoundData),
})

/** The answer in that call's result, with USD_DECIMALS decimals; null if it cannot be decoded or is out of bounds. */
export function parseFeedResult(data: Hex): bigint | null {
  try {
    const [, answer] = decodeFunctionResult({ ...latestRoundData, data })
    return validUsdOrNull(answer)
  } catch {
    return null
  }
}

/** Cause of a failed eth_call. The only error code that nodes share is 3, for a revert. */
export type CallErrorKind = 'reverted' | 'no-state' | 'no-block' | 'other'

const NO_STATE =
  /missing trie node|state .*(pruned|not available|unavailable|missing)|no state|historical state|pruned|pruning|old data|archive|required historical/i

/** Transport errors and rate limits are 'other': only a node's own response has the cause. */
export function classifyCallError(error: unknown): CallErrorKind {
  if (isExecutionError(error)) return 'reverted'
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, details, message, name } = cause as Error & { code?: unknown; details?: unknown }
    if (name === 'HttpRequestError' || name === 'TimeoutError') return 'other'
    if (typeof code !== 'number') continue
    const words = typeof details === 'string' ? details : message
    if (NO_STATE.test(words)) return 'no-state'
    if (NO_BLOCK.test(words)) return 'no-block'
    return 'other'
  }
  return 'other'
}
