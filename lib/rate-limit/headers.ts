/** Status of a quota as sent to the client. */
export interface QuotaStatus {
  name: string
  limit: number
  windowSeconds: number
  remaining: number
  /** Seconds until some of it is available again. */
  resetSeconds: number
}

/**
 * `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-08 and later; for older clients also the three
 * fields of drafts up to 07, which describe the tightest quota.
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
