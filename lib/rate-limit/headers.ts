/** A quota as a client is told of it: its name, its size, and where it stands. */
export interface QuotaStatus {
  name: string
  limit: number
  windowSeconds: number
  remaining: number
  /** Seconds until some of it comes back. */
  resetSeconds: number
}

/**
 * `RateLimit-Policy` and `RateLimit` as draft-ietf-httpapi-ratelimit-headers has them since its version 08, and for the
 * many clients that read nothing else the three fields of versions up to 07, which tell of the tightest quota.
 */
export function toRateLimitHeaders(quotas: readonly QuotaStatus[]): Record<string, string | number> {
  const tightest = quotas.reduce((a, b) => (b.remaining < a.remaining ? b : a))
  return {
    'ratelimit-policy': quotas.map((one) => `"${one.name}";q=${one.limit};w=${one.windowSeconds}`).join(', '),
    ratelimit: quotas.map((one) => `"${one.name}";r=${one.remaining};t=${one.resetSeconds}`).join(', '),
    'ratelimit-limit': tightest.limit,
    'ratelimit-remaining': tightest.remaining,
    'ratelimit-reset': tightest.resetSeconds,
  }
}
