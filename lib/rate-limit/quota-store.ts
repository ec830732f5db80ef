import type { FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { KeyedQuota } from '../cache/cache.ts'
import type { RefundableResult } from './quota-counter.ts'

/** The quotas that a request consumes, and the result once it has. */
export interface ConsumeRequest {
  quotas: readonly KeyedQuota[]
  result?: RefundableResult
}

type Callback = (error: Error | null, result?: { current: number; ttl: number }) => void

/**
 * Adapter to the store interface of @fastify/rate-limit, which allows one counter per request: here a request consumes several
 * quotas atomically and may refund one. The `key` is therefore a ConsumeRequest, and the store sets its result.
 */
export const createQuotaStore = (
  consume: (quotas: readonly KeyedQuota[]) => RefundableResult | Promise<RefundableResult>,
): FastifyRateLimitStoreCtor =>
  class QuotaStore {
    incr(key: unknown, callback: Callback, _windowMs: number, max: number): void {
      const request = key as ConsumeRequest
      const finish = (result: RefundableResult) => {
        request.result = result
        // max + 1 makes the library reject the request.
        callback(null, { current: result.granted ? 0 : max + 1, ttl: result.usages[0]?.resetMs ?? 0 })
      }
      const result = consume(request.quotas)
      if (result instanceof Promise) result.then(finish, callback)
      else finish(result)
    }

    child() {
      return this
    }
  }
