import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, define, defineReasons } from '../../errors.ts'

export const sessionReasons = defineReasons({
  SESSION_MISSING: define(401, 'This browser has no session: sign in'),
})

const NAME = 'slipway_session'

/** The cookie goes to this mount of /auth only. Scripts cannot read it, and no other site can make a browser send it. */
const optionsOf = ({ server }: FastifyRequest) => ({
  path: server.prefix,
  httpOnly: true,
  sameSite: 'strict' as const,
  secure: server.settings.publicUrl.startsWith('https:'),
})

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, session: string): void {
  reply.setCookie(NAME, session, { ...optionsOf(request), maxAge: request.server.settings.jwt.sessionSeconds })
}

/** Clears the browser's cookie after a logout, unless it is the session of another wallet, which stays signed in. */
export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  const session = request.cookies[NAME]
  if (session === undefined) return
  const wallet = request.server.findSessionWallet(session)
  if (wallet === null || wallet === request.wallet) reply.clearCookie(NAME, optionsOf(request))
}

/** The session token of the request. Throws SESSION_MISSING without one, or for a request of another origin. */
export function readSessionCookie(request: FastifyRequest): string {
  const session = request.cookies[NAME]
  if (!session || !isOfOwnOrigin(request)) throw new AppError(sessionReasons.SESSION_MISSING)
  return session
}

/**
 * SameSite admits requests from other subdomains of the site, so the origin must be this one. Browsers omit Sec-Fetch-Site on
 * plain HTTP, except on localhost; programs other than browsers send neither header.
 */
function isOfOwnOrigin({ headers, server }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin === undefined || headers.origin === new URL(server.settings.publicUrl).origin
}
