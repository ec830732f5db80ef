/** A quota that has counted a request, as sent to the client. */
export interface CountedQuota {
  name: string
  /** Its item of RateLimit-Policy: see describePolicy. */
  policy: string
  limit: number
  remaining: number
  /** Milliseconds until the whole quota is available again. */
  ttl: number
}

/** The item of RateLimit-Policy, which is the same in every response. */
export const describePolicy = (
  name: string,
  { limit, windowSeconds }: { limit: number; windowSeconds: number },
): string => `"${name}";q=${limit};w=${windowSeconds}`

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
  let [policy, state] = ['', '']
  let [limit, least, reset] = [0, Number.POSITIVE_INFINITY, 0]
  for (const quota of quotas) {
    const { name, remaining, ttl } = quota
    const separator = policy === '' ? '' : ', '
    const seconds = Math.ceil(ttl / 1_000)
    policy += separator + quota.policy
    state += `${separator}"${name}";r=${remaining};t=${seconds}`
    if (remaining < least) [limit, least, reset] = [quota.limit, remaining, seconds]
  }
  return {
    'ratelimit-policy': policy,
    ratelimit: state,
    'ratelimit-limit': limit,
    'ratelimit-remaining': least,
    'ratelimit-reset': reset,
  }
}
