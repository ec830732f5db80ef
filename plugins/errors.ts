import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isNodeFailure } from '../chain/rpc/node-failure.ts'
import { isWorkerLoss } from '../db/citus/is-worker-loss.ts'
import { AppError, type ErrorCode, isAppError, REASON_HEADER } from '../errors.ts'
import { endWithError, envelope } from '../lib/http/end-with-error.ts'

/** ErrorCode by Fastify error code. */
const frameworkErrors: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'MALFORMED_BODY',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_BAD_URL: 'MALFORMED_URL',
  FST_ERR_MAX_PARAM_LENGTH: 'URL_TOO_LONG',
  FST_ERR_HANDLER_TIMEOUT: 'OVERLOADED',
}

/** SQLSTATE codes or classes (prefixes) that are not internal errors. */
const databaseErrors: readonly [sqlstate: string, code: ErrorCode][] = [
  ['08', 'DATABASE_UNAVAILABLE'],
  ['57P', 'DATABASE_UNAVAILABLE'],
  ['53100', 'DATABASE_FULL'],
  ['53', 'OVERLOADED'],
  // io_error
  ['58030', 'DATABASE_UNAVAILABLE'],
  // read_only_sql_transaction: the primary became a replica.
  ['25006', 'DATABASE_READ_ONLY'],
  // Idle-session timeouts, cancelled statements, lock timeouts, serialization failures and deadlocks.
  ['25P0', 'OVERLOADED'],
  ['57014', 'OVERLOADED'],
  ['55P03', 'OVERLOADED'],
  ['40001', 'OVERLOADED'],
  ['40P01', 'OVERLOADED'],
  ['22021', 'UNSTORABLE_TEXT'],
  ['22P05', 'UNSTORABLE_TEXT'],
  ['23505', 'CONFLICT'],
]

// Only database errors reach here as socket errors: the cache and the chain client wrap theirs.
const socketErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  // During a failover: see db/postgres/hosts.ts.
  'ENOHOST',
])
// pg reports lost connections without a code: the message is the only sign.
const lostConnections = new Set([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
])

const wrap = (code: ErrorCode, cause: unknown, retryAfter?: number) =>
  new AppError(code as 'INTERNAL', {}, { cause, ...(retryAfter === undefined ? {} : { retryAfter }) })

/** Maps anything thrown to an AppError; unknown errors become INTERNAL. */
export function toAppError(error: unknown): AppError {
  if (isAppError(error)) return error
  if (!(error instanceof Error)) return wrap('INTERNAL', error)
  const { code, severity, statusCode } = error as Error & { code?: unknown; severity?: unknown; statusCode?: unknown }
  if (typeof code === 'string') {
    const known = frameworkErrors[code]
    if (known) return wrap(known, error)
    if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
      return new AppError('UNSUPPORTED_MEDIA_TYPE', { wants: 'application/json' }, { cause: error })
    if (severity !== undefined) {
      const found = databaseErrors.find(([sqlstate]) => code.startsWith(sqlstate))
      if (found) return wrap(found[1], error, found[1] === 'CONFLICT' || found[1] === 'UNSTORABLE_TEXT' ? undefined : 1)
    }
    if (socketErrors.has(code)) return wrap('DATABASE_UNAVAILABLE', error, 1)
  }
  if (lostConnections.has(error.message) || isWorkerLoss(error)) return wrap('DATABASE_UNAVAILABLE', error, 1)
  if (isNodeFailure(error)) return wrap('NODE_UNAVAILABLE', error, 1)
  if (statusCode === 413) return wrap('BODY_TOO_LARGE', error)
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) return wrap('MALFORMED_REQUEST', error)
  return wrap('INTERNAL', error)
}

/**
 * Sends the error response. Logs a 5xx as an error with its cause, or as a warning if the service itself decided on it, as on
 * a failed health check: where that was thrown is of no use. `write` replaces the envelope for foreign protocols, such as UDF.
 */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  write: (error: AppError) => string = ({ message }) => envelope(message),
): FastifyReply {
  const error = toAppError(thrown)
  if (error.status >= 500 && error.cause !== undefined)
    request.log.error({ err: error.cause, reason: error.reason }, error.message)
  else if (error.status >= 500) request.log.warn({ reason: error.reason }, error.message)
  else request.log.debug({ reason: error.reason }, error.message)
  if (error.retryAfter !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(error.retryAfter)))
  if (isAppError(error, 'METHOD_NOT_ALLOWED')) reply.header('allow', error.data.allow.join(', '))
  if (isAppError(error, 'UPGRADE_REQUIRED')) reply.headers({ connection: 'close, upgrade', upgrade: 'websocket' })
  if (isAppError(error, 'MALFORMED_HANDSHAKE')) reply.header('sec-websocket-version', '13')
  if (error.status === 401) reply.header('www-authenticate', 'Bearer')
  return reply
    .code(error.status)
    .headers({ 'x-request-id': request.id, [REASON_HEADER]: error.reason, 'cache-control': 'no-store' })
    .type('application/json; charset=utf-8')
    .serializer(String)
    .send(write(error))
}

/** Fastify's clientErrorHandler: sends the envelope for invalid HTTP, oversized headers and request timeouts. */
export function handleClientError(error: ConnectionError, socket: Socket): void {
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse | null }
  // After the headers, these bytes would become part of the response body.
  if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent) {
    socket.destroy()
    return
  }
  const code =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'HEADERS_TOO_LARGE'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'REQUEST_TIMEOUT'
        : 'MALFORMED_REQUEST'
  endWithError(socket, wrap(code, error))
}

interface KnownRoute {
  pattern: RegExp
  methods: Set<string>
}

/**
 * Adds an onRequest hook that rejects unknown paths (404) and methods (405), and the not-found handler. The application
 * sets the error handler before it adds routes: a route keeps the handler that is set when it is added.
 */
export default fp(
  async (app) => {
    const known = new Map<string, KnownRoute>()
    app.addHook('onRoute', ({ url, method }) => {
      const route = known.get(url) ?? { pattern: toPattern(url), methods: new Set<string>() }
      for (const one of [method].flat()) route.methods.add(one)
      known.set(url, route)
    })

    app.setNotFoundHandler((request, reply) => sendError(toNotFoundError(request, known), request, reply))
    // Before the body is parsed: a missing route takes precedence over an invalid body.
    app.addHook('onRequest', (request, _reply, done) =>
      done(request.is404 ? toNotFoundError(request, known) : undefined),
    )
  },
  { name: 'errors' },
)

/** The route pattern as a regular expression; used only when no route matched. */
const toPattern = (url: string) =>
  new RegExp(
    `^${url
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/:[^/]+/g, '[^/]+')
      .replace(/\*/g, '.*')}$`,
  )

function toNotFoundError({ method, url }: FastifyRequest, known: ReadonlyMap<string, KnownRoute>): AppError {
  const path = url.split('?', 1)[0] as string
  const allow = new Set<string>()
  for (const route of known.values()) if (route.pattern.test(path)) for (const one of route.methods) allow.add(one)
  // The CORS preflight route matches every path.
  allow.delete('OPTIONS')
  if (allow.size > 0 && !allow.has(method))
    return new AppError('METHOD_NOT_ALLOWED', { method, allow: [...allow].sort() })
  return new AppError('ROUTE_NOT_FOUND', { method, path: path.slice(0, 200) })
}
