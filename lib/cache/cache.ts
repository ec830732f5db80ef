/** A counter after an increment, and the time until it expires. */
export interface Count {
  value: number
  resetMs: number
}

/** `limit` units in any window of `windowMs`, counted by key. */
export interface KeyedQuota {
  key: string
  /** Units to consume; default 1. */
  cost?: number
  limit: number
  windowMs: number
}

/** Units used, and milliseconds until some of them are available again. */
export interface QuotaUsage {
  used: number
  resetMs: number
  /** The time slot of the window in which units are counted now. */
  slot: number
}

/** A consumed unit that can be refunded. */
export type Consumption = Pick<KeyedQuota, 'key'> & Pick<QuotaUsage, 'slot'>

export interface ConsumeResult {
  /** False if a quota was exhausted; then none was consumed. */
  granted: boolean
  /** Usage of each quota after the call, in order. */
  usages: QuotaUsage[]
}

/**
 * Short-lived strings by key, shared by all replicas with Redis. A key starts with a namespace and a colon. Every method
 * rejects with CACHE_UNAVAILABLE while the cache is unreachable, and a write with CACHE_READ_ONLY while it accepts none; none waits for it to reconnect.
 */
export interface Cache {
  get(key: string): Promise<string | null>
  set(key: string, value: string, ttlSeconds: number): Promise<void>
  /** Sets a key that does not exist. Returns whether it did. */
  setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean>
  /** Reads and deletes atomically: only one of concurrent calls gets the value. */
  getAndDelete(key: string): Promise<string | null>
  delete(key: string): Promise<void>
  /** Increments by one. Only the first increment sets the time to live. */
  increment(key: string, ttlSeconds: number): Promise<Count>
  /** Consumes all quotas or none, atomically. A cache in this process returns the result itself: no request waits for it. */
  consume(quotas: readonly KeyedQuota[]): ConsumeResult | Promise<ConsumeResult>
  /** Reverts the consumption of one unit. */
  refund(consumption: Consumption): Promise<void>
  /** Writes a short-lived key. Rejects also where the server responds but refuses writes: a replica, a full memory or disk. */
  probe(): Promise<void>
  close(): Promise<void>
}
