/** Claims of our tokens. sub: the wallet; jti: the id of the sign-in, which all tokens of a browser session share; iat and exp in unix seconds. */
export interface JwtClaims {
  sub: string
  jti: string
  iat: number
  exp: number
}

/** Keys, issuer, audience and lifetime of one kind of token. */
export interface TokenSettings {
  /** The first one signs. */
  keys: readonly { kid: string; secret: string }[]
  issuer: string
  audience: string
  lifetimeSeconds: number
}

/** How far the clock of the issuing process may be ahead of this one. */
export const CLOCK_TOLERANCE_SECONDS = 300

/**
 * Three parts of base64url without padding whose unused bits are 0: decoders ignore those bits, so that a token could be
 * written in several ways.
 */
const PART = '(?:[\\w-]{4})*(?:[\\w-]{3}(?<=[AEIMQUYcgkosw048])|[\\w-]{2}(?<=[AQgw]))?'
const CANONICAL = new RegExp(`^${PART}\\.${PART}\\.${PART}$`)

export const isCanonicalToken = (token: string): boolean => CANONICAL.test(token)

/**
 * Validates the claims of a token with a valid signature: exactly our claims, within the token lifetime. A leaked or shared key
 * must not introduce claims that other code does not expect.
 */
export function createClaimsValidator({ issuer, audience, lifetimeSeconds }: Omit<TokenSettings, 'keys'>) {
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
