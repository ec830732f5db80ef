import type { FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { RefundableResult } from './quota-counter.ts'

/** What a request has begun to consume. */
export interface PendingConsumption {
  pending: Promise<RefundableResult>
}

type Callback = (error: Error | null, result?: { current: number; ttl: number }) => void

/**
 * Adapter to the store interface of @fastify/rate-limit, which allows one counter per request: here a request consumes several
 * quotas atomically and may refund one. The `key` is therefore a PendingConsumption: the library would await a promise.
 */
export const createQuotaStore = (): FastifyRateLimitStoreCtor =>
  class QuotaStore {
    incr(key: unknown, callback: Callback, _windowMs: number, max: number): void {
      const finish = ({ granted, usages }: RefundableResult) =>
        // max + 1 makes the library reject the request.
        callback(null, { current: granted ? 0 : max + 1, ttl: usages[0]?.resetMs ?? 0 })
      void (key as PendingConsumption).pending.then(finish, callback)
    }

    child() {
      return this
    }
  }
