/** A quota that has counted a request, as sent to the client. */
export interface CountedQuota {
  name: string
  limit: number
  windowSeconds: number
  remaining: number
  /** Milliseconds until the whole quota is available again. */
  ttl: number
}

/**
 * `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-08 and later; for older clients also the three
 * fields of drafts up to 07, which describe the tightest quota.
 */
export const QUOTA_HEADERS = [
  'ratelimit-policy',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
] as const

export type QuotaHeaders = Record<(typeof QUOTA_HEADERS)[number], string | number>

/** At least one quota. Almost every response has these headers. */
export function toQuotaHeaders(quotas: readonly CountedQuota[]): QuotaHeaders {
  const tightest = quotas.reduce((one, other) => (other.remaining < one.remaining ? other : one))
  const secondsOf = ({ ttl }: CountedQuota) => Math.ceil(ttl / 1_000)
  return {
    'ratelimit-policy': quotas
      .map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`)
      .join(', '),
    ratelimit: quotas.map((quota) => `"${quota.name}";r=${quota.remaining};t=${secondsOf(quota)}`).join(', '),
    'ratelimit-limit': tightest.limit,
    'ratelimit-remaining': tightest.remaining,
    'ratelimit-reset': secondsOf(tightest),
  }
}
