import { randomUUID } from 'node:crypto'
import jwt, { type JWT } from '@fastify/jwt'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../config.ts'
import type { Db } from '../db/client.ts'
import { isWalletBanned } from '../db/queries/bans.ts'
import { addRevokedToken, isTokenRevoked } from '../db/queries/revoked-tokens.ts'
import { AppError, isAppError } from '../errors.ts'
import { createRevocationCache } from '../lib/auth/revocation-cache.ts'
import { createClaimsValidator, type JwtClaims } from '../lib/auth/token-claims.ts'
import { type CachedFlag, createCachedFlag } from '../lib/cache/cached-flag.ts'
import { addVary } from '../lib/http/caching-headers.ts'
import { toAppError } from './errors.ts'
import { type PrimaryPool, primaryPoolOf } from './request-db.ts'

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: Partial<JwtClaims>
    user: JwtClaims
    namespaces: string
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The wallet that signed in, lower-case; null where nobody did, or outside a scope that looks. */
    wallet: string | null
    /** The claims of the token that said so. */
    claims: JwtClaims | null
  }
  interface FastifyInstance {
    /** Issues a token for a wallet. */
    issueToken(wallet: string): string
    /** The claims of a token that we signed and that has not expired; throws the 401 for any other. Asks nobody. */
    verifyToken(token: string): JwtClaims
    /**
     * The claims of a token that is good, which is one that was not revoked either; throws the 401 for any other. `pool` is
     * the one to look that up in where the cache does not have it: unless given, that of reads.
     */
    readToken(token: string, pool?: PrimaryPool): Promise<JwtClaims>
    /**
     * The wallet that a request is counted for: that of a good token, else null. It may count a token that another process
     * revoked for some seconds more, and grants nothing. A token that cannot be checked counts as none.
     */
    findRateLimitWallet(request: FastifyRequest): string | null | Promise<string | null>
    /** Makes a token worthless from now on. */
    revokeToken(claims: JwtClaims): Promise<void>
    /** Tells of every token that this process revokes. Returns how to stop. */
    onTokenRevoked(listener: (claims: JwtClaims) => void): () => void
    /** Wallets that may read but not write. Set after the commit that bans a wallet or ends its ban. */
    bannedWallets: CachedFlag
  }
}

/** Tokens: issued, read and revoked. Who must have one is said by the hooks below, added to a scope. */
export default fp<{ config: Pick<Config, 'jwt'> }>(
  async (app, { config }) => {
    const { keys, issuer, audience, lifetimeSeconds } = config.jwt
    const [current] = keys
    if (!current) throw new TypeError('a signing key is needed')
    // A Map, because a kid is the caller's word: an object would also know `__proto__`.
    const verifiers = new Map<string, JWT>()
    for (const [at, { kid, secret }] of keys.entries()) {
      const namespace = `key${at}`
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
    const isClaims = createClaimsValidator(config.jwt)

    // The library tells failures apart in ways (400, 500) that are no business of the caller: all of them are 401.
    const verifyToken = (token: string): JwtClaims => {
      try {
        const { header } = signer.decode<{ header: { kid?: unknown } }>(token) ?? {}
        const verifier = typeof header?.kid === 'string' ? verifiers.get(header.kid) : undefined
        const claims = verifier?.verify<object>(token)
        if (!isClaims(claims)) throw new TypeError('A token of an unknown key, or with odd claims')
        return claims
      } catch (cause) {
        throw new AppError('JWT_INVALID', {}, { cause })
      }
    }

    app.decorateRequest('wallet', null)
    app.decorateRequest('claims', null)
    app.decorate('issueToken', (wallet: string) => signer.sign({ sub: wallet, jti: randomUUID() }))
    app.decorate('verifyToken', verifyToken)
    app.decorate(
      'bannedWallets',
      createCachedFlag({
        cache: app.cache,
        namespace: 'banned',
        // Only requests that may write ask for it.
        load: (wallet) => isWalletBanned(app.databases.writes, wallet),
        survivesCache: true,
      }),
    )
    // A cache that was emptied, or has evicted a key, lets no revoked token in. On the primary: a replica may be late.
    const createRevocations = (db: Db) =>
      createCachedFlag({
        cache: app.cache,
        namespace: 'revoked',
        load: (jti) =>
          isTokenRevoked(db, jti).catch((error: unknown) => {
            throw toAppError(error)
          }),
        survivesCache: false,
      })
    const { reads, writes } = app.databases
    const revoked = { reads: createRevocations(reads), writes: createRevocations(writes) }
    const revocations = createRevocationCache()
    app.decorate('readToken', async (token: string, pool: PrimaryPool = 'reads') => {
      const claims = verifyToken(token)
      // Only a revocation may be recalled: that there is none must be looked up for each request.
      if (revocations.getCached(claims.jti) === true) throw new AppError('JWT_INVALID')
      if (await revoked[pool].read(claims.jti)) {
        revocations.store(claims.jti)
        throw new AppError('JWT_INVALID')
      }
      return claims
    })
    app.decorate('findRateLimitWallet', (request: FastifyRequest) => {
      const { headers } = request
      if (headers.authorization === undefined) return null
      const claims = attempt(() => verifyToken(readBearer(headers.authorization) ?? ''))
      if (claims === null) return null
      const recalled = revocations.getCached(claims.jti)
      if (recalled !== undefined) return recalled ? null : claims.sub
      const isRevoked = () => revoked[primaryPoolOf(request)].read(claims.jti)
      return revocations.lookUp(claims.jti, isRevoked).then((found) => (found ? null : claims.sub))
    })
    const listeners = new Set<(claims: JwtClaims) => void>()
    app.decorate('revokeToken', async (claims: JwtClaims) => {
      const { jti, exp } = claims
      await addRevokedToken(writes, { jti, exp })
      await revoked.writes.set(jti, true, Math.max(1, exp - Date.now() / 1000))
      revocations.store(jti)
      for (const listener of listeners) listener(claims)
    })
    app.decorate('onTokenRevoked', (listener: (claims: JwtClaims) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    })
  },
  { name: 'auth', dependencies: ['cache', 'request-db', 'services'] },
)

/** The token of an Authorization header; undefined if there is no such header. */
function readBearer(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const match = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(header)
  if (!match) throw new AppError('JWT_INVALID')
  return match[1]
}

function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** Hook of a scope where everybody must have signed in, and a banned wallet may read but not write. */
export async function requireWallet(request: FastifyRequest): Promise<void> {
  await requireToken(request)
  const isWrite = request.method !== 'GET' && request.method !== 'HEAD'
  if (isWrite && (await request.server.bannedWallets.read(walletOf(request)))) throw new AppError('WALLET_BANNED')
}

/** Hook of a scope that is about the token itself, and open to banned wallets. */
export async function requireToken(request: FastifyRequest): Promise<void> {
  const token = readBearer(request.headers.authorization)
  if (token === undefined) throw new AppError('JWT_MISSING')
  request.claims = await request.server.readToken(token, primaryPoolOf(request))
  request.wallet = request.claims.sub
}

const TOLERATED: ReadonlySet<string> = new Set(['JWT_INVALID', 'CACHE_UNAVAILABLE', 'DATABASE_UNAVAILABLE'])

/**
 * Hook of a public scope that answers more to a wallet. A token that is no good counts as none, and so does one that
 * cannot be checked: while the cache or the database is away, what is public goes on as far as it can.
 */
export async function optionalWallet(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  addVary(reply, 'authorization')
  // Most have none, and an error for each would be a stack for each.
  if (request.headers.authorization === undefined) return
  try {
    await requireToken(request)
  } catch (error) {
    if (!isAppError(error) || !TOLERATED.has(error.reason)) throw error
  }
}

/** Hook of a scope for operators. */
export async function requireAdmin(request: FastifyRequest): Promise<void> {
  await requireWallet(request)
  if (!isAdmin(request)) throw new AppError('NOT_ADMIN')
}

/** Hook of a scope for the labs list. */
export async function requireLabs(request: FastifyRequest): Promise<void> {
  await requireWallet(request)
  if (!isLabs(request)) throw new AppError('NOT_LABS')
}

/** Whether the signed-in wallet is an operator, for routes that an owner may use as well. */
export const isAdmin = ({ wallet, server }: FastifyRequest): boolean =>
  wallet !== null && server.settings.adminWallets.includes(wallet)

export const isLabs = ({ wallet, server }: FastifyRequest): boolean =>
  wallet !== null && server.settings.labsWallets.includes(wallet)

/** The wallet of a request that requireWallet let through. */
export function walletOf(request: FastifyRequest): string {
  if (request.wallet === null) throw new AppError('JWT_MISSING')
  return request.wallet
}

/**
 * The wallet that a public route is asked about when none is named: whoever signed in. Here a token that is no good is no
 * longer as good as none, and its sender hears why.
 */
export async function callerOf(request: FastifyRequest): Promise<string> {
  if (request.wallet === null) await requireToken(request)
  return walletOf(request)
}
