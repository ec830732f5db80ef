import jwt, { type JWT } from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../errors.ts'
import { createClaimsValidator, isCanonicalToken, type JwtClaims, type TokenSettings } from './token-claims.ts'

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: Partial<JwtClaims>
    user: JwtClaims
    namespaces: string
  }
}

/** Issues and verifies the tokens of one audience. */
export interface Tokens {
  /** Issues a token for a wallet, signed with the first key. */
  issue(wallet: string, jti: string): string
  /** Checks signature, claims and expiry, without I/O. Throws JWT_INVALID. */
  verify(token: string): JwtClaims
}

/** Registers one verifier for each key. `name` keeps the kinds of tokens of an application apart. */
export async function registerTokens(app: FastifyInstance, name: string, settings: TokenSettings): Promise<Tokens> {
  const { keys, issuer, audience, lifetimeSeconds } = settings
  const [current] = keys
  if (!current) throw new TypeError('a signing key is needed')
  // A Map: the kid comes from the caller, and an object would also resolve `__proto__`.
  const verifiers = new Map<string, JWT>()
  for (const [at, { kid, secret }] of keys.entries()) {
    const namespace = `${name}${at}`
    await app.register(jwt, {
      namespace,
      secret,
      decode: { complete: true },
      sign: { algorithm: 'HS256', kid, iss: issuer, aud: audience, expiresIn: lifetimeSeconds },
      verify: {
        algorithms: ['HS256'],
        allowedIss: issuer,
        allowedAud: audience,
        requiredClaims: ['iss', 'aud', 'sub', 'jti', 'iat', 'exp'],
      },
    })
    verifiers.set(kid, app.jwt[namespace] as JWT)
  }
  const signer = verifiers.get(current.kid) as JWT
  const isClaims = createClaimsValidator(settings)
  return {
    issue: (wallet, jti) => signer.sign({ sub: wallet, jti }),
    verify: (token) => {
      // The library maps failures to 400, 401 and 500; all of them are a 401 here.
      try {
        if (!isCanonicalToken(token)) throw new TypeError('A token that is not canonical base64url')
        const { header } = signer.decode<{ header: { kid?: unknown } }>(token) ?? {}
        const verifier = typeof header?.kid === 'string' ? verifiers.get(header.kid) : undefined
        const claims = verifier?.verify<object>(token)
        if (!isClaims(claims)) throw new TypeError('A token of an unknown key, or with odd claims')
        return claims
      } catch (cause) {
        throw new AppError('JWT_INVALID', {}, { cause })
      }
    },
  }
}
