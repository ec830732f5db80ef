import { setTimeout as sleep } from 'node:timers/promises'
import { custom, type Transport } from 'viem'
import { type CircuitBreaker, createCircuitBreaker } from '../lib/concurrency/circuit-breaker.ts'
import { currentBudget, type NodeBudget } from './node-budget.ts'
import {
  hasNoResponse,
  isNodeFailure,
  isTemporary,
  isTimeout,
  NodeTimeoutError,
  readRetryAfterMs,
} from './node-failure.ts'
import { type RpcCall, validateResponse } from './parse-responses.ts'
import { isRangeRejection } from './split-range.ts'

/**
 * Gas limit of our eth_call requests: some nodes have none, and an untrusted contract could run for as long as it likes.
 * Legitimate calls use a fraction of it.
 */
const CALL_GAS = '0x1c9c380'
const FAILURES_TO_OPEN = 3
const COOLDOWN_MS = 5_000
/** Longer than COOLDOWN_MS: each request to a hanging node costs a time-out, one to an unreachable node fails at once. */
const TIMEOUT_COOLDOWN_MS = 30_000
const RETRY_DELAY_MS = 100

/** One circuit breaker for each node. All transports of a service share them. */
export const createNodeBreakers = (count: number): CircuitBreaker[] =>
  Array.from({ length: count }, () =>
    createCircuitBreaker({ failureThreshold: FAILURES_TO_OPEN, cooldownMs: COOLDOWN_MS }),
  )

/**
 * Tries nodes in order, those with an open breaker last; repeats the round up to `retries` times after temporary failures
 * (unreachable, busy, rate-limited). Within a NodeBudget each attempt gets an equal share of the remaining time, so that a
 * hanging node leaves time for the others.
 */
export function createFailoverTransport(
  transports: readonly Transport[],
  { retries, breakers }: { retries: number; breakers: readonly CircuitBreaker[] },
): Transport {
  return (settings) => {
    const nodes = transports.map((transport) => transport({ ...settings, retryCount: 0 }))

    const attempt = async (at: number, args: RpcCall, left: number): Promise<unknown> => {
      const [node, breaker] = [nodes[at] as (typeof nodes)[number], breakers[at] as CircuitBreaker]
      const budget = currentBudget()
      try {
        const asked = node.request(args as never, budget && { signal: budget.signal })
        const answer = await (budget ? rejectAfter(asked, budget.leftMs / left) : asked)
        validateResponse(args, answer)
        breaker.recordSuccess()
        return answer
      } catch (error) {
        // viem's error for an aborted request has no cause.
        const failure = budget?.signal.aborted ? new NodeTimeoutError('The time for this request is over') : error
        if (!hasNoResponse(failure)) breaker.recordSuccess()
        else breaker.recordFailure(isTimeout(failure) ? TIMEOUT_COOLDOWN_MS : readRetryAfterMs(failure))
        throw failure
      }
    }

    const requestFromAll = async (
      args: RpcCall,
    ): Promise<{ answer: unknown } | { failure: unknown; isTemporary: boolean }> => {
      let failure: unknown
      let isWorthRetry = false
      let left = nodes.length
      for (const at of orderByHealth(breakers)) {
        try {
          return { answer: await attempt(at, args, left--) }
        } catch (error) {
          if (!isNodeFailure(error)) throw error
          // Keep a range rejection: the caller can split the range, whatever another node's failure was.
          const isTold = args.method === 'eth_getLogs' && isRangeRejection(failure)
          if (!isTold) failure = error
          isWorthRetry ||= isTemporary(error)
          if (currentBudget()?.signal.aborted) break
        }
      }
      return { failure, isTemporary: isWorthRetry }
    }

    const request = (call: RpcCall): Promise<unknown> => {
      const budget = currentBudget()
      return budget ? budget.track(() => requestWithRetries(call, budget)) : requestWithRetries(call)
    }
    const requestWithRetries = async ({ method, params }: RpcCall, budget?: NodeBudget): Promise<unknown> => {
      const args = { method, params: method === 'eth_call' ? capGas(params) : params }
      for (let tried = 0; ; tried++) {
        const outcome = await requestFromAll(args)
        if ('answer' in outcome) return outcome.answer
        if (tried >= retries || !outcome.isTemporary || budget?.signal.aborted) {
          if (budget) budget.failure = outcome.failure
          throw outcome.failure
        }
        await sleep(RETRY_DELAY_MS * 2 ** tried, undefined, budget && { signal: budget.signal }).catch(() => {})
      }
    }
    return custom({ request }, { retryCount: 0 })(settings)
  }
}

/** Indexes of nodes with a closed or probing breaker first, then the others as a last resort. */
export function* orderByHealth(breakers: readonly CircuitBreaker[]): Generator<number> {
  const failing: number[] = []
  for (const [at, breaker] of breakers.entries()) {
    if (breaker.acquire() === 0) yield at
    else failing.push(at)
  }
  yield* failing
}

function capGas(params: unknown): unknown {
  const [call, ...rest] = params as [{ gas?: string }, ...unknown[]]
  return [{ ...call, gas: call.gas ?? CALL_GAS }, ...rest]
}

/**
 * Rejects with NodeTimeoutError on time-out. Only the budget aborts the request itself: its own signal would split viem's
 * batches.
 */
async function rejectAfter<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new NodeTimeoutError('The node took its share of the time')), milliseconds)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
  }
}
