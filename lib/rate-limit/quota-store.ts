import type { FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { KeyedQuota } from '../cache/cache.ts'
import type { RefundableResult } from './quota-counter.ts'

/** What a request takes of its quotas, and, once it has, where they stand. */
export interface ConsumeRequest {
  quotas: readonly KeyedQuota[]
  result?: RefundableResult
}

type Callback = (error: Error | null, result?: { current: number; ttl: number }) => void

/**
 * The store of @fastify/rate-limit. Its interface knows one counter for each request; here a request takes several quotas in
 * one step, and may return one. So the key that it passes to the store is a Draw, which the store completes.
 */
export const createQuotaStore = (
  consume: (quotas: readonly KeyedQuota[]) => Promise<RefundableResult>,
): FastifyRateLimitStoreCtor =>
  class QuotaStore {
    incr(key: unknown, callback: Callback, _windowMs: number, max: number): void {
      const request = key as ConsumeRequest
      consume(request.quotas).then((entry) => {
        request.result = entry
        // The library refuses what is past its own limit.
        callback(null, { current: entry.granted ? 0 : max + 1, ttl: entry.usages[0]?.resetMs ?? 0 })
      }, callback)
    }

    child() {
      return this
    }
  }
