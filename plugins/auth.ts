import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/client.ts'
import { isWalletBanned } from '../db/queries/bans.ts'
import { addRevokedToken, isTokenRevoked } from '../db/queries/revoked-tokens.ts'
import { AppError, isAppError } from '../errors.ts'
import { registerTokens } from '../lib/auth/register-tokens.ts'
import { createRevocationCache } from '../lib/auth/revocation-cache.ts'
import { CLOCK_TOLERANCE_SECONDS, type JwtClaims } from '../lib/auth/token-claims.ts'
import { type CachedFlag, createCachedFlag } from '../lib/cache/cached-flag.ts'
import { addVary } from '../lib/http/caching-headers.ts'
import { toAppError } from './errors.ts'
import { type PrimaryPool, primaryPoolOf } from './request-db.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The authenticated wallet, lower-case; null without a valid token, or outside a scope with one of the hooks below.
     */
    wallet: string | null
    /** The claims of the request's token. */
    claims: JwtClaims | null
  }
  interface FastifyInstance {
    /** Issues a token for a wallet. */
    issueToken(wallet: string): string
    /** Issues a token, and the session token of the browser's cookie, which refreshToken accepts. Both have one jti. */
    startSession(wallet: string): { token: string; session: string }
    /** Issues another token of a session. Throws JWT_INVALID if the session has expired or is revoked. */
    refreshToken(session: string): Promise<string>
    /** The wallet of a session, revoked or not; null if it is expired or invalid. */
    findSessionWallet(session: string): string | null
    /** Checks signature, claims and expiry, without I/O. Throws JWT_INVALID. */
    verifyToken(token: string): JwtClaims
    /**
     * Like verifyToken, and also checks that the token is not revoked. `pool` is the database pool for that look-up
     * when the cache does not have the answer (default: reads). Throws JWT_INVALID.
     */
    readToken(token: string, pool?: PrimaryPool): Promise<JwtClaims>
    /**
     * The wallet whose quota a request consumes; null without a valid token. Grants no access: it may accept a token
     * for some seconds after another process revoked it.
     */
    findRateLimitWallet(request: FastifyRequest): string | null | Promise<string | null>
    /** Revokes a token, and its session with all other tokens of it, in all processes. */
    revokeToken(claims: JwtClaims): Promise<void>
    /** Calls the listener for each token that this process revokes. Returns the unsubscribe function. */
    onTokenRevoked(listener: (claims: JwtClaims) => void): () => void
    /** Wallets that may read but not write. Update it after the commit that bans a wallet or ends its ban. */
    bannedWallets: CachedFlag
  }
}

/**
 * Decorates the app with the functions that issue, verify and revoke JWTs, and requests with the authenticated wallet.
 * The hooks below, added to a scope, decide which routes need a token.
 */
export default fp<{ config: Pick<Config, 'jwt'> }>(
  async (app, { config }) => {
    const tokens = await registerTokens(app, 'token', config.jwt)
    const sessions = await registerTokens(app, 'session', {
      ...config.jwt,
      // Another audience: neither kind of token is accepted as the other.
      audience: `${config.jwt.audience}#session`,
      lifetimeSeconds: config.jwt.sessionSeconds,
    })
    const verifyToken = tokens.verify

    app.decorateRequest('wallet', null)
    app.decorateRequest('claims', null)
    app.decorate('issueToken', (wallet: string) => tokens.issue(wallet, randomUUID()))
    app.decorate('startSession', (wallet: string) => {
      const jti = randomUUID()
      return { token: tokens.issue(wallet, jti), session: sessions.issue(wallet, jti) }
    })
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
    const requireUnrevoked = async (claims: JwtClaims, pool: PrimaryPool) => {
      // Only positive results come from the local cache; "not revoked" is checked for each request.
      if (revocations.getCached(claims.jti) === true) throw new AppError('JWT_INVALID')
      if (await revoked[pool].read(claims.jti)) {
        revocations.store(claims.jti)
        throw new AppError('JWT_INVALID')
      }
      return claims
    }
    app.decorate('readToken', async (token: string, pool: PrimaryPool = 'reads') =>
      requireUnrevoked(verifyToken(token), pool),
    )
    app.decorate('refreshToken', async (session: string) => {
      const { sub, jti } = await requireUnrevoked(sessions.verify(session), 'reads')
      return tokens.issue(sub, jti)
    })
    app.decorate('findSessionWallet', (session: string) => attempt(() => sessions.verify(session))?.sub ?? null)
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
      const { jti, iat } = claims
      // Until the session can issue no token any more: it started before the token was issued.
      const exp = Math.max(claims.exp, iat + config.jwt.sessionSeconds)
      await addRevokedToken(writes, { jti, exp })
      // Before the cache, which may refuse the write: this process rejects the token in any case.
      revocations.store(jti)
      for (const listener of listeners) listener(claims)
      await revoked.writes.set(jti, true, Math.max(1, exp - Date.now() / 1000) + CLOCK_TOLERANCE_SECONDS)
    })
    app.decorate('onTokenRevoked', (listener: (claims: JwtClaims) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    })
  },
  { name: 'auth', dependencies: ['cache', 'request-db', 'services'] },
)

/** The token of an Authorization header; undefined without the header. Throws JWT_INVALID for another scheme. */
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

/** An onRequest hook that requires a valid token; banned wallets may read but not write. */
export async function requireWallet(request: FastifyRequest): Promise<void> {
  await requireToken(request)
  const isWrite = request.method !== 'GET' && request.method !== 'HEAD'
  if (isWrite && (await request.server.bannedWallets.read(walletOf(request)))) throw new AppError('WALLET_BANNED')
}

/** An onRequest hook that requires a valid token and admits banned wallets. */
export async function requireToken(request: FastifyRequest): Promise<void> {
  const token = readBearer(request.headers.authorization)
  if (token === undefined) throw new AppError('JWT_MISSING')
  request.claims = await request.server.readToken(token, primaryPoolOf(request))
  request.wallet = request.claims.sub
}

const TOLERATED: ReadonlySet<string> = new Set(['JWT_INVALID', 'CACHE_UNAVAILABLE', 'DATABASE_UNAVAILABLE'])

/**
 * An onRequest hook for public routes with optional authentication. An invalid token, or one that cannot be checked
 * while the cache or the database is down, counts as none.
 */
export function optionalWallet(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  addVary(reply, 'authorization')
  // Most requests have no token: no error with a stack and no promise for each.
  if (request.headers.authorization === undefined) {
    done()
    return
  }
  requireToken(request).then(
    () => done(),
    (error) => done(isAppError(error) && TOLERATED.has(error.reason) ? undefined : error),
  )
}

/** An onRequest hook that requires a wallet of ADMIN_WALLETS. */
export async function requireAdmin(request: FastifyRequest): Promise<void> {
  await requireWallet(request)
  if (!isAdmin(request)) throw new AppError('NOT_ADMIN')
}

/** An onRequest hook that requires a wallet of LABS_WALLETS. */
export async function requireLabs(request: FastifyRequest): Promise<void> {
  await requireWallet(request)
  if (!isLabs(request)) throw new AppError('NOT_LABS')
}

/** Whether the authenticated wallet is an operator, for routes that an owner may use as well. */
export const isAdmin = ({ wallet, server }: FastifyRequest): boolean =>
  wallet !== null && server.settings.adminWallets.includes(wallet)

export const isLabs = ({ wallet, server }: FastifyRequest): boolean =>
  wallet !== null && server.settings.labsWallets.includes(wallet)

/** The authenticated wallet of a request that passed requireWallet or requireToken. */
export function walletOf(request: FastifyRequest): string {
  if (request.wallet === null) throw new AppError('JWT_MISSING')
  return request.wallet
}

/**
 * The authenticated wallet, as the default subject of a public route. Unlike optionalWallet, it throws for an invalid
 * token.
 */
export async function callerOf(request: FastifyRequest): Promise<string> {
  if (request.wallet === null) await requireToken(request)
  return walletOf(request)
}
