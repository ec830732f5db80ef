/** A counter after an increment, and the time until it expires. */
export interface Count {
  value: number
  resetMs: number
}

/**
 * Short-lived strings by key, shared by all replicas with Redis. A key starts with a namespace and a colon. Every method
 * rejects with CACHE_UNAVAILABLE while the cache is unreachable, and a write with CACHE_READ_ONLY while it accepts none; none waits for it to reconnect.
 */
export interface Cache {
  /** Whether other processes see the same keys. */
  readonly isShared: boolean
  get(key: string): Promise<string | null>
  set(key: string, value: string, ttlSeconds: number): Promise<void>
  /** Like set, but a failover of Redis to a replica cannot undo it. */
  setKept(key: string, value: string, ttlSeconds: number): Promise<void>
  /** Sets a key that does not exist. Returns whether it did. */
  setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean>
  /** Reads and deletes atomically: only one of concurrent calls gets the value, also across a failover. */
  getAndDelete(key: string): Promise<string | null>
  /** A failover cannot undo it. */
  delete(key: string): Promise<void>
  /** Increments by one. Only the first increment sets the time to live. */
  increment(key: string, ttlSeconds: number): Promise<Count>
  /**
   * Writes a short-lived key. Rejects also where the server responds but refuses writes: a replica, a full memory or disk; with
   * a SetupError where REDIS_URL names what REDIS_MODE, or the service, cannot use.
   */
  probe(): Promise<void>
  close(): Promise<void>
}
