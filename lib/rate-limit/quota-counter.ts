import type { FastifyInstance } from 'fastify'
import type { ConsumeResult, Consumption, KeyedQuota } from '../cache/cache.ts'
import { createQuotaMemory } from '../cache/quota-memory.ts'
import { createCircuitBreaker } from '../concurrency/circuit-breaker.ts'

export interface RefundableResult extends ConsumeResult {
  /** Refunds one unit where it was counted. Errors are ignored: the unit stays consumed. */
  refund(consumption: Consumption): Promise<void>
}

/** Counts quotas in the cache for all replicas, and in this process while the cache fails. */
export function createQuotaCounter({ cache, log }: Pick<FastifyInstance, 'cache' | 'log'>) {
  const local = createQuotaMemory()
  const breaker = createCircuitBreaker({
    failureThreshold: 3,
    cooldownMs: 1_000,
    onOpen: () => log.warn('The cache fails; until it is back each replica counts quotas by itself'),
  })
  const refundLocally = async (consumption: Consumption) => local.refund(consumption)
  const refundInCache = (consumption: Consumption) => cache.refund(consumption).catch(() => {})
  const consumeLocally = (drawn: readonly KeyedQuota[]): RefundableResult => {
    const { granted, usages } = local.consume(drawn)
    return { granted, usages, refund: refundLocally }
  }
  const accept = ({ granted, usages }: ConsumeResult): RefundableResult => {
    breaker.recordSuccess()
    return { granted, usages, refund: refundInCache }
  }
  return (drawn: readonly KeyedQuota[]): RefundableResult | Promise<RefundableResult> => {
    if (breaker.acquire() > 0) return consumeLocally(drawn)
    const consumed = cache.consume(drawn)
    if (!(consumed instanceof Promise)) return accept(consumed)
    return consumed.then(accept, () => {
      breaker.recordFailure()
      return consumeLocally(drawn)
    })
  }
}
