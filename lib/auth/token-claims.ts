import type { Config } from '../../config.ts'

/** Claims of our tokens. sub: the wallet; jti: the token's id; iat and exp in unix seconds. */
export interface JwtClaims {
  sub: string
  jti: string
  iat: number
  exp: number
}

/** Allowed clock skew between the issuing process and this one. */
const CLOCK_TOLERANCE_SECONDS = 60

/**
 * Validates the claims of a token with a valid signature: exactly our claims, within the token lifetime. A leaked or shared key
 * must not introduce claims that other code does not expect.
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
