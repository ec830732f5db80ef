import { setTimeout as sleep } from 'node:timers/promises'
import { custom, type Transport } from 'viem'
import type { CircuitBreaker } from '../../lib/concurrency/circuit-breaker.ts'
import { currentBudget, type NodeBudget } from './node-budget.ts'
import { isExecutionError, isNodeFailure, isTemporary, NodeTimeoutError } from './node-failure.ts'
import type { Nodes } from './nodes.ts'
import { type RpcCall, validateResponse } from './parse-responses.ts'
import { isRangeRejection } from './split-range.ts'

/**
 * Gas limit of our eth_call requests: some nodes have none, and an untrusted contract could run for as long as it likes.
 * Legitimate calls use a fraction of it.
 */
const CALL_GAS = '0x1c9c380'
const RETRY_DELAY_MS = 100

interface Options {
  /** Rounds after the first. */
  retries: number
  nodes: Nodes
  /** The index of each transport's node. */
  indexes: readonly number[]
  /** Throws if a response cannot belong to the call. Default: validateResponse. */
  validate?: (call: RpcCall, answer: unknown) => void
}

/**
 * Tries nodes in order, those with an open breaker last; repeats the round up to `retries` times after temporary failures
 * (unreachable, busy, rate-limited). Within a NodeBudget each attempt gets an equal share of the remaining time, so that a
 * hanging node leaves time for the others. A node that is not verified is checked first; one of another chain is skipped.
 */
export function createFailoverTransport(
  transports: readonly Transport[],
  { retries, nodes, indexes, validate = validateResponse }: Options,
): Transport {
  return (settings) => {
    const connections = transports.map((transport) => transport({ ...settings, retryCount: 0 }))
    const breakers = indexes.map((node) => nodes.breakers[node] as CircuitBreaker)

    const attempt = async (at: number, args: RpcCall, left: number): Promise<unknown> => {
      const [connection, node] = [connections[at] as (typeof connections)[number], indexes[at] as number]
      const budget = currentBudget()
      const ask = async () => {
        await nodes.verify(node)
        return connection.request(args as never, budget && { signal: budget.signal })
      }
      nodes.methods.recordStart(node, args.method)
      try {
        const answer = await (budget ? rejectAfter(ask(), budget.leftMs / left) : ask())
        validate(args, answer)
        nodes.recordAnswer(node, args.method, answer)
        return answer
      } catch (error) {
        // viem's error for an aborted request has no cause.
        const failure = budget?.signal.aborted ? new NodeTimeoutError('The time for this request is over') : error
        if (isExecutionError(failure)) nodes.recordAnswer(node, args.method, failure)
        else nodes.recordFailure(node, args.method, failure)
        throw failure
      } finally {
        nodes.methods.recordEnd(node, args.method)
      }
    }

    const requestFromAll = async (
      args: RpcCall,
    ): Promise<{ answer: unknown } | { failure: unknown; isTemporary: boolean }> => {
      let failure: unknown
      let isWorthRetry = false
      let left = connections.length
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
