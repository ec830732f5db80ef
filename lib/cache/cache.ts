/** A counter after an increment: its value, and how long until it starts anew. */
export interface Count {
  value: number
  resetMs: number
}

/** So many takings in any window of so many milliseconds, counted under a key. */
export interface KeyedQuota {
  key: string
  /** How much is taken at once; 1 unless said. */
  cost?: number
  limit: number
  windowMs: number
}

/** Where a quota stands: what is taken of it, and the milliseconds until some of that comes back. */
export interface QuotaUsage {
  used: number
  resetMs: number
  /** The part of the window that a taking of now is counted in. */
  slot: number
}

/** One that was taken of a quota, and when. */
export type Consumption = Pick<KeyedQuota, 'key'> & Pick<QuotaUsage, 'slot'>

export interface ConsumeResult {
  /** False if one of the quotas was used up; then none of them was drawn on. */
  granted: boolean
  /** Of each quota, in order, after the spending. */
  usages: QuotaUsage[]
}

/**
 * Short-lived text by key, shared by all replicas when Redis holds it. A key starts with a namespace and a colon.
 * Every method rejects with CACHE_UNAVAILABLE when the cache cannot be reached; none of them waits for it to come back.
 */
export interface Cache {
  get(key: string): Promise<string | null>
  set(key: string, value: string, ttlSeconds: number): Promise<void>
  /** Sets unless there is one already; tells whether it did. */
  setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean>
  /** Reads and deletes in one step: of many that take one key, one gets it. */
  getAndDelete(key: string): Promise<string | null>
  delete(key: string): Promise<void>
  /** Adds one. The first increment starts the time to live; later ones leave it. */
  increment(key: string, ttlSeconds: number): Promise<Count>
  /** Takes one of each quota, or of none of them, in one step. */
  consume(quotas: readonly KeyedQuota[]): Promise<ConsumeResult>
  /** Makes a taking of a quota not have been. */
  refund(consumption: Consumption): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}
