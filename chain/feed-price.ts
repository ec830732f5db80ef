import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { priceFeedAbi } from './abi/price-feed.ts'
import { validUsdOrNull } from './bounds.ts'
import { isExecutionError } from './node-failure.ts'

/** The node no longer has the state of that block: it was pruned. Its logs and header may still be there. */
export class StateUnavailableError extends Error {
  override name = 'StateUnavailableError'
}

const latestRoundData = { abi: priceFeedAbi, functionName: 'latestRoundData' } as const

/** The call that asks a feed for its answer. */
export const feedCall = (feed: string): { to: Address; data: Hex } => ({
  to: feed as Address,
  data: encodeFunctionData(latestRoundData),
})

/** The answer in the result of that call, USD_DECIMALS decimals; null if the contract is none, or the answer is none. */
export function parseFeedResult(data: Hex): bigint | null {
  try {
    const [, answer] = decodeFunctionResult({ ...latestRoundData, data })
    return validUsdOrNull(answer)
  } catch {
    return null
  }
}

/** Which of the reasons to refuse an eth_call an error is. Nodes have no common codes but 3, for what the contract reverted. */
export type CallErrorKind = 'reverted' | 'no-state' | 'no-block' | 'other'

const NO_STATE =
  /missing trie node|state .*(pruned|not available|unavailable|missing)|no state|historical state|pruned|pruning|old data|archive|required historical/i
const NO_BLOCK = /(header|block) not found|unknown block|could not find block|block ?out ?of ?range/i

/** Only an answer of the node can be one: a request that failed, or was limited, is 'other'. */
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
