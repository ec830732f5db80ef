/** A quota that a request has consumed, as sent to the client. */
export interface ConsumedQuota {
  quota: {
    name: string
    /** Its item of RateLimit-Policy: see describePolicy. */
    policy: string
    limit: number
  }
  used: number
  /** Milliseconds until some of it is available again. */
  resetMs: number
}

/** The item of RateLimit-Policy, which is the same in every response. */
export const describePolicy = (name: string, limit: number, windowSeconds: number): string =>
  `"${name}";q=${limit};w=${windowSeconds}`

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
export function toQuotaHeaders(quotas: readonly ConsumedQuota[]): QuotaHeaders {
  let [policy, state] = ['', '']
  let [limit, remaining, reset] = [0, Number.POSITIVE_INFINITY, 0]
  for (const { quota, used, resetMs } of quotas) {
    const separator = policy === '' ? '' : ', '
    const left = Math.max(0, quota.limit - used)
    const seconds = Math.ceil(resetMs / 1000)
    policy += separator + quota.policy
    state += `${separator}"${quota.name}";r=${left};t=${seconds}`
    if (left < remaining) [limit, remaining, reset] = [quota.limit, left, seconds]
  }
  return {
    'ratelimit-policy': policy,
    ratelimit: state,
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': reset,
  }
}
