import type { Config } from '../../config.ts'

/** What a token says: the wallet, the token's own id, and when it was issued and expires, in unix seconds. */
export interface JwtClaims {
  sub: string
  jti: string
  iat: number
  exp: number
}

/** How far the clock of the process that issued a token may be ahead of ours. */
const CLOCK_TOLERANCE_SECONDS = 60

/**
 * A check of the claims of a token whose signature is good: every claim as we issue it, and none beyond the life of a token.
 * A key that leaked or was shared with another service must not make claims that the rest of the code does not expect.
 */
export function createClaimsValidator({ issuer, audience, lifetimeSeconds }: Config['jwt']) {
  return (given: unknown): given is JwtClaims => {
    if (typeof given !== 'object' || given === null) return false
    const { sub, jti, iat, exp, iss, aud } = given as Record<string, unknown>
    if (iss !== issuer || aud !== audience) return false
    if (typeof sub !== 'string' || !/^0x[0-9a-f]{40}$/.test(sub)) return false
    if (typeof jti !== 'string' || !/^[\w-]{1,64}$/.test(jti)) return false
    if (!Number.isInteger(iat) || !Number.isInteger(exp)) return false
    const [issuedAt, expiresAt] = [iat as number, exp as number]
    const now = Date.now() / 1000
    if (issuedAt < 0 || issuedAt > now + CLOCK_TOLERANCE_SECONDS) return false
    return expiresAt > now && expiresAt > issuedAt && expiresAt - issuedAt <= lifetimeSeconds
  }
}
