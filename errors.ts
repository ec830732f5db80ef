/** What an error answers: its HTTP status and the sentence made from its data. */
interface Definition<Data> {
  readonly status: number
  readonly message: (data: Data) => string
}

type None = Record<never, never>

const define = <Data = None>(status: number, message: string | ((data: Data) => string)): Definition<Data> => ({
  status,
  message: typeof message === 'string' ? () => message : message,
})

/**
 * Every error the API can answer. A message is public: it may repeat what the caller sent, and never what a library,
 * a query, a path or a URL of ours said.
 */
export const catalogue = {
  // 400: the request itself is wrong
  INVALID_INPUT: define<{ field: string; problem: string }>(400, (d) => `${d.field} ${d.problem}`),
  PAGE_TOO_DEEP: define<{ maximum: number }>(
    400,
    (d) => `query.page times query.limit must be at most ${d.maximum}; continue with query.cursor`,
  ),
  NO_PAGES: define(400, 'query.page is not for this list, which has no pages; continue with query.cursor'),
  MALFORMED_JSON: define(400, 'body is not valid JSON'),
  MALFORMED_BODY: define(400, 'body could not be read'),
  MALFORMED_URL: define(400, 'Malformed URL'),
  MALFORMED_REQUEST: define(400, 'Malformed HTTP request'),
  MALFORMED_HANDSHAKE: define(400, 'Malformed WebSocket handshake; version 13 is spoken here'),
  UNSTORABLE_TEXT: define(400, 'Text holds a character that cannot be stored'),

  // 401: who are you
  JWT_MISSING: define(401, 'Missing bearer token'),
  JWT_INVALID: define(401, 'Invalid or expired token'),
  SIGNATURE_INVALID: define(401, 'Invalid signature'),
  MESSAGE_MISMATCH: define(401, 'Message does not match the issued message'),
  NONCE_USED: define(401, 'Nonce expired or already used'),

  // 403: known, and not allowed
  NOT_ADMIN: define(403, 'This wallet is not an operator'),
  NOT_LABS: define(403, 'This wallet is not on the labs list'),
  NOT_OWNER: define<{ resource: string }>(403, (d) => `Only the owner may change this ${d.resource}`),
  NOT_COMMITTER: define(403, 'Only wallets that committed to this raise may do this'),
  WALLET_BANNED: define(403, 'This wallet is banned'),
  ORIGIN_REFUSED: define(403, 'Pages of this origin may not open sockets here'),
  TRANSACTION_FOREIGN: define(403, 'Transaction belongs to a different wallet'),

  // 404: nothing there
  ROUTE_NOT_FOUND: define<{ method: string; path: string }>(404, (d) => `No route ${d.method} ${d.path}`),
  TOKEN_NOT_FOUND: define<{ address: string }>(404, (d) => `Token ${d.address} not found`),
  MARKET_NOT_FOUND: define<{ address: string }>(404, (d) => `No market known for ${d.address}`),
  TRANSACTION_NOT_FOUND: define(404, 'Transaction not found'),
  RESOURCE_NOT_FOUND: define<{ resource: string; id: string }>(404, (d) => `${d.resource} ${d.id} not found`),

  // 405..417: HTTP itself
  METHOD_NOT_ALLOWED: define<{ method: string; allow: readonly string[] }>(
    405,
    (d) => `${d.method} is not allowed here; use ${d.allow.join(', ')}`,
  ),
  REQUEST_TIMEOUT: define(408, 'The request took too long to arrive'),
  BODY_TOO_LARGE: define(413, 'Request body is too large'),
  IMAGE_TOO_LARGE: define<{ maximum: number }>(413, (d) => `Image is larger than ${d.maximum} pixels a side`),
  URL_TOO_LONG: define(414, 'The URL is too long'),
  UNSUPPORTED_MEDIA_TYPE: define<{ wants: string }>(415, (d) => `Unsupported content type; send ${d.wants}`),
  UNSUPPORTED_ENCODING: define(415, 'Unsupported content encoding; send the body uncompressed'),
  RANGE_NOT_SATISFIABLE: define(416, 'No such part of the file'),
  EXPECTATION_FAILED: define(417, 'Unsupported Expect header'),
  UPGRADE_REQUIRED: define(426, 'This is a WebSocket: ask for an upgrade'),
  HEADERS_TOO_LARGE: define(431, 'Request headers are too large'),

  // 409: it clashes with what is
  TRANSACTION_ALREADY_INDEXED: define(409, 'Transaction already indexed'),
  TOKEN_LAUNCHED_HERE: define<{ address: string }>(
    409,
    (d) => `This token was launched here; see /tokens/${d.address}`,
  ),
  TOKEN_NOT_TRADABLE: define<{ reason: string }>(409, (d) => `This token cannot be traded: ${d.reason}`),
  ALREADY_EXISTS: define<{ resource: string }>(409, (d) => `${d.resource} already exists`),
  USERNAME_TAKEN: define(409, 'This username, or one that looks like it, is taken'),
  SELF_FOLLOW: define(409, 'A wallet cannot follow itself'),
  FOLLOW_LIMIT: define<{ maximum: number }>(409, (d) => `A wallet follows at most ${d.maximum} others`),
  WRONG_STATE: define<{ resource: string; state: string }>(409, (d) => `${d.resource} is ${d.state}`),
  CONFLICT: define(409, 'This conflicts with what is stored'),

  // 422 and 425: the chain says no, or not yet
  TRANSACTION_REVERTED: define(422, 'Transaction reverted'),
  EVENT_MISSING: define(422, 'Transaction lacks the expected event'),
  UNTRADABLE: define<{ reason: string }>(422, (d) => d.reason),
  TRANSACTION_PENDING: define(425, 'Transaction is not mined yet'),

  // 429: slow down
  RATE_LIMITED: define<{ bucket: string }>(429, (d) => `Too many requests (${d.bucket}); back off and retry`),

  // 5xx: ours, or somebody's behind us
  INTERNAL: define(500, 'Internal server error'),
  UPSTREAM_FAILED: define<{ service: string }>(502, (d) => `The ${d.service} failed`),
  UNHEALTHY: define<{ failed: readonly string[] }>(503, (d) => `Failed checks: ${d.failed.join(', ')}`),
  DATABASE_UNAVAILABLE: define(503, 'The database is unavailable'),
  CACHE_UNAVAILABLE: define(503, 'The cache is unavailable'),
  STORAGE_UNAVAILABLE: define(503, 'The upload storage is unavailable'),
  NODE_UNAVAILABLE: define(503, 'The chain node is unreachable'),
  FINALITY_BROKEN: define<{ reason: string }>(503, (d) => `Nothing is written: ${d.reason}`),
  OVERLOADED: define(503, 'The service is overloaded; retry shortly'),
  UPSTREAM_TIMEOUT: define<{ service: string }>(504, (d) => `The ${d.service} did not answer in time`),
} as const

export type ErrorCode = keyof typeof catalogue

/** The response header that carries the reason of a failure. */
export const REASON_HEADER = 'x-error-reason'

export type ErrorData<Code extends ErrorCode> = (typeof catalogue)[Code] extends Definition<infer Data> ? Data : never

export interface ErrorOptions {
  /** Seconds until a retry may succeed; becomes the Retry-After header. */
  retryAfter?: number
  /** What went wrong underneath: logged, never served. */
  cause?: unknown
}

type Arguments<Code extends ErrorCode> = keyof ErrorData<Code> extends never
  ? [data?: None, options?: ErrorOptions]
  : [data: ErrorData<Code>, options?: ErrorOptions]

/** An error with a place in the catalogue. It takes data; the sentence is the catalogue's. */
export class AppError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'AppError'
  readonly reason: Code
  readonly status: number
  readonly data: ErrorData<Code>
  readonly retryAfter: number | undefined

  constructor(reason: Code, ...[data, options]: Arguments<Code>) {
    const { status, message } = catalogue[reason] as Definition<unknown>
    super(message(data ?? {}), options?.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.status = status
    this.data = (data ?? {}) as ErrorData<Code>
    this.retryAfter = options?.retryAfter
  }
}

/** True for an AppError, and with `reason` for that one alone. */
export const isAppError = <Code extends ErrorCode>(error: unknown, reason?: Code): error is AppError<Code> =>
  error instanceof AppError && (reason === undefined || error.reason === reason)
