import type { FastifyInstance } from 'fastify'
import type { ConsumeResult, Consumption, KeyedQuota } from '../cache/cache.ts'
import { createQuotaMemory } from '../cache/quota-memory.ts'
import { createCircuitBreaker } from '../concurrency/circuit-breaker.ts'

export interface RefundableResult extends ConsumeResult {
  /** Refunds one unit where it was counted. Errors are ignored: the unit stays consumed. */
  refund(consumption: Consumption): Promise<void>
}

/**
 * Counts quotas in the cache for all replicas, and in this process while the cache fails. Returns no promise where the
 * cache is in memory.
 */
export function createQuotaCounter({ cache, log }: Pick<FastifyInstance, 'cache' | 'log'>) {
  const local = createQuotaMemory()
  const breaker = createCircuitBreaker({
    failureThreshold: 3,
    cooldownMs: 1_000,
    onOpen: () => log.warn('The cache fails; until it is back each replica counts quotas by itself'),
  })
  const refundLocally = async (consumption: Consumption) => local.refund(consumption)
  const refundInCache = (consumption: Consumption) => cache.refund(consumption).catch(() => {})
  const consumeLocally = (drawn: readonly KeyedQuota[]) => toRefundable(local.consume(drawn), refundLocally)

  return (drawn: readonly KeyedQuota[]): RefundableResult | Promise<RefundableResult> => {
    if (breaker.acquire() > 0) return consumeLocally(drawn)
    const pending = cache.consume(drawn)
    // In memory: it cannot fail, so the breaker has nothing to record.
    if (!(pending instanceof Promise)) return toRefundable(pending, refundInCache)
    return pending.then(
      (result) => {
        breaker.recordSuccess()
        return toRefundable(result, refundInCache)
      },
      () => {
        breaker.recordFailure()
        return consumeLocally(drawn)
      },
    )
  }
}

const toRefundable = ({ granted, usages }: ConsumeResult, refund: RefundableResult['refund']): RefundableResult => ({
  granted,
  usages,
  refund,
})
