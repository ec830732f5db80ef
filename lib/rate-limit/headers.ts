/** Status of a quota as sent to the client. */
export interface QuotaStatus {
  name: string
  /** Its item of RateLimit-Policy: see describePolicy. */
  policy: string
  limit: number
  remaining: number
  /** Seconds until some of it is available again. */
  resetSeconds: number
}

/** The item of RateLimit-Policy, which is the same in every response. */
export const describePolicy = (name: string, limit: number, windowSeconds: number): string =>
  `"${name}";q=${limit};w=${windowSeconds}`

/**
 * `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-08 and later; for older clients also the three
 * fields of drafts up to 07, which describe the tightest quota. At least one quota. Almost every response has these headers.
 */
export function toRateLimitHeaders(quotas: readonly QuotaStatus[]): Record<string, string | number> {
  let tightest = quotas[0] as QuotaStatus
  let [policy, state] = ['', '']
  for (const one of quotas) {
    const separator = policy === '' ? '' : ', '
    policy += separator + one.policy
    state += `${separator}"${one.name}";r=${one.remaining};t=${one.resetSeconds}`
    if (one.remaining < tightest.remaining) tightest = one
  }
  return {
    'ratelimit-policy': policy,
    ratelimit: state,
    'ratelimit-limit': tightest.limit,
    'ratelimit-remaining': tightest.remaining,
    'ratelimit-reset': tightest.resetSeconds,
  }
}
