/** Why a request fails: its HTTP status, the sentence made from its data, and data for an example of that sentence. */
export interface Reason<Data = unknown, Status extends number = number, Name extends string = string> {
  readonly name: Name
  readonly status: Status
  message(data: Data): string
  readonly example: Data
}

type Unnamed<Data = unknown, Status extends number = number> = Omit<Reason<Data, Status>, 'name'>
type Named<Reasons> = {
  readonly [Name in keyof Reasons & string]: Reasons[Name] extends Unnamed<infer Data, infer Status>
    ? Reason<Data, Status, Name>
    : never
}
type None = Record<never, never>

export const define = <const Status extends number, Data = None>(
  status: Status,
  message: string | ((data: Data) => string),
  ...[example]: keyof Data extends never ? [] : [example: NoInfer<Data>]
): Unnamed<Data, Status> => ({
  status,
  message: typeof message === 'string' ? () => message : message,
  example: (example ?? {}) as Data,
})

/** Reasons by name. A domain defines its own beside the code that throws them, and lists them in its declaration. */
export const defineReasons = <Reasons extends Record<string, Unnamed>>(reasons: Reasons) =>
  Object.fromEntries(Object.entries(reasons).map(([name, reason]) => [name, { ...reason, name }])) as Named<Reasons>

/**
 * The reasons that more than one domain uses. Messages are public: they may repeat the caller's input, but never text from
 * a library, a query, a path or an internal URL.
 */
export const catalogue = defineReasons({
  // 400: the request is invalid
  INVALID_INPUT: define(400, (d: { field: string; problem: string }) => `${d.field} ${d.problem}`, {
    field: 'query.limit',
    problem: 'must be <= 100',
  }),
  PAGE_TOO_DEEP: define(
    400,
    (d: { maximum: number }) => `query.page times query.limit must be at most ${d.maximum}; continue with query.cursor`,
    { maximum: 10_000 },
  ),
  NO_PAGES: define(400, 'query.page is not supported: this list has no pages; use query.cursor'),
  MALFORMED_JSON: define(400, 'body is not valid JSON'),
  MALFORMED_BODY: define(400, 'body could not be read'),
  MALFORMED_URL: define(400, 'Malformed URL'),
  MALFORMED_REQUEST: define(400, 'Malformed HTTP request'),
  MALFORMED_HANDSHAKE: define(400, 'Malformed WebSocket handshake; only version 13 is supported'),
  UNSTORABLE_TEXT: define(400, 'Text contains a character that cannot be stored'),

  // 401: not authenticated
  JWT_MISSING: define(401, 'Missing bearer token'),
  JWT_INVALID: define(401, 'Invalid or expired token'),
  SIGNATURE_INVALID: define(401, 'Invalid signature'),
  MESSAGE_MISMATCH: define(401, 'Message does not match the issued message'),
  NONCE_USED: define(401, 'Nonce expired or already used'),

  // 403: authenticated, but not allowed
  NOT_ADMIN: define(403, 'This wallet is not an operator'),
  NOT_LABS: define(403, 'This wallet is not on the labs list'),
  NOT_OWNER: define(403, (d: { resource: string }) => `Only the owner may change this ${d.resource}`, {
    resource: 'token',
  }),
  WALLET_BANNED: define(403, 'This wallet is banned'),
  ORIGIN_REFUSED: define(403, 'Pages of this origin may not open sockets here'),
  TRANSACTION_FOREIGN: define(403, 'Transaction belongs to a different wallet'),

  // 404: nothing there
  ROUTE_NOT_FOUND: define(404, (d: { method: string; path: string }) => `No route ${d.method} ${d.path}`, {
    method: 'GET',
    path: '/token',
  }),
  TOKEN_NOT_FOUND: define(404, (d: { address: string }) => `Token ${d.address} not found`, {
    address: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
  }),
  TRANSACTION_NOT_FOUND: define(404, 'Transaction not found'),
  RESOURCE_NOT_FOUND: define(404, (d: { resource: string; id: string }) => `${d.resource} ${d.id} not found`, {
    resource: 'Comment',
    id: '1024',
  }),

  // 405..417: HTTP itself
  METHOD_NOT_ALLOWED: define(
    405,
    (d: { method: string; allow: readonly string[] }) => `${d.method} is not allowed here; use ${d.allow.join(', ')}`,
    { method: 'PUT', allow: ['GET', 'HEAD'] },
  ),
  REQUEST_TIMEOUT: define(408, 'The request took too long to arrive'),
  BODY_TOO_LARGE: define(413, 'Request body is too large'),
  IMAGE_TOO_LARGE: define(413, (d: { maximum: number }) => `Image is larger than ${d.maximum} pixels a side`, {
    maximum: 4096,
  }),
  URL_TOO_LONG: define(414, 'The URL is too long'),
  UNSUPPORTED_MEDIA_TYPE: define(415, (d: { wants: string }) => `Unsupported content type; send ${d.wants}`, {
    wants: 'application/json',
  }),
  UNSUPPORTED_ENCODING: define(415, 'Unsupported content encoding; send the body uncompressed'),
  RANGE_NOT_SATISFIABLE: define(416, 'The file has no such range'),
  EXPECTATION_FAILED: define(417, 'Unsupported Expect header'),
  UPGRADE_REQUIRED: define(426, 'This is a WebSocket endpoint; send an upgrade request'),
  HEADERS_TOO_LARGE: define(431, 'Request headers are too large'),

  // 409: conflicts with the current state
  TRANSACTION_ALREADY_INDEXED: define(409, 'Transaction already indexed'),
  TOKEN_NOT_TRADABLE: define(409, (d: { reason: string }) => `This token cannot be traded: ${d.reason}`, {
    reason: 'its curve is completed',
  }),
  ALREADY_EXISTS: define(409, (d: { resource: string }) => `${d.resource} already exists`, { resource: 'Your report' }),
  WRONG_STATE: define(409, (d: { resource: string; state: string }) => `${d.resource} is ${d.state}`, {
    resource: 'This report',
    state: 'dismissed',
  }),
  CONFLICT: define(409, 'The request conflicts with stored data'),

  // 422 and 425: rejected by the chain, or not mined yet
  TRANSACTION_REVERTED: define(422, 'Transaction reverted'),
  EVENT_MISSING: define(422, 'Transaction lacks the expected event'),
  QUOTE_NOT_SUPPORTED: define(
    422,
    (d: { launchpad: string }) => `Trades with tokens of ${d.launchpad} cannot be quoted here`,
    {
      launchpad: 'nad.fun',
    },
  ),
  UNTRADABLE: define(422, (d: { reason: string }) => d.reason, { reason: 'The amount is too small to trade' }),
  TRANSACTION_PENDING: define(425, 'Transaction is not mined yet'),

  // 429: too many requests
  RATE_LIMITED: define(429, (d: { bucket: string }) => `Too many requests (${d.bucket}); back off and retry`, {
    bucket: 'global',
  }),

  // 5xx: failures of the service or of its dependencies
  INTERNAL: define(500, 'Internal server error'),
  UPSTREAM_FAILED: define(502, (d: { service: string }) => `The ${d.service} failed`, {
    service: 'market data provider',
  }),
  UNHEALTHY: define(503, (d: { failed: readonly string[] }) => `Failed checks: ${d.failed.join(', ')}`, {
    failed: ['database'],
  }),
  DATABASE_UNAVAILABLE: define(503, 'The database is unavailable'),
  DATABASE_FULL: define(503, 'The database has no space left'),
  DATABASE_READ_ONLY: define(503, 'The database accepts no writes'),
  CACHE_UNAVAILABLE: define(503, 'The cache is unavailable'),
  CACHE_READ_ONLY: define(503, 'The cache accepts no writes'),
  STORAGE_UNAVAILABLE: define(503, 'The upload storage is unavailable'),
  STORAGE_FULL: define(503, 'The upload storage has no space left'),
  NODE_UNAVAILABLE: define(503, 'The chain node is unreachable'),
  FINALITY_BROKEN: define(503, (d: { reason: string }) => `Writes are paused: ${d.reason}`, {
    reason: 'a finalized block was reorganised',
  }),
  OVERLOADED: define(503, 'The service is overloaded; retry shortly'),
  UPSTREAM_TIMEOUT: define(504, (d: { service: string }) => `The ${d.service} did not answer in time`, {
    service: 'market data provider',
  }),
})

export type ErrorCode = keyof typeof catalogue

/** The response header that carries the reason of a failure. */
export const REASON_HEADER = 'x-error-reason'

type ReasonOf<R extends ErrorCode | Reason> = R extends ErrorCode ? (typeof catalogue)[R] : R
export type ErrorData<R extends ErrorCode | Reason> = ReasonOf<R> extends Reason<infer Data> ? Data : never

export interface ErrorOptions {
  /** Seconds until a retry may succeed; becomes the Retry-After header. */
  retryAfter?: number
  /** What went wrong underneath: logged, never served. */
  cause?: unknown
}

type Arguments<R extends ErrorCode | Reason> = keyof ErrorData<R> extends never
  ? [data?: None, options?: ErrorOptions]
  : [data: ErrorData<R>, options?: ErrorOptions]

/** An error with a reason: of the catalogue by name, or of a domain. It takes data; the sentence is the reason's. */
export class AppError<R extends ErrorCode | Reason = ErrorCode | Reason> extends Error {
  override readonly name = 'AppError'
  readonly reason: ReasonOf<R>['name']
  readonly status: number
  readonly data: ErrorData<R>
  readonly retryAfter: number | undefined

  constructor(given: R, ...[data, options]: Arguments<R>) {
    const { name, status, message }: Reason = typeof given === 'string' ? catalogue[given as ErrorCode] : given
    super(message(data ?? {}), options?.cause === undefined ? undefined : { cause: options.cause })
    this.reason = name
    this.status = status
    this.data = (data ?? {}) as ErrorData<R>
    this.retryAfter = options?.retryAfter
  }
}

/** True for an AppError, and with `reason` for that one alone. */
export const isAppError = <Code extends ErrorCode>(error: unknown, reason?: Code): error is AppError<Code> =>
  error instanceof AppError && (reason === undefined || error.reason === reason)

/** What keeps the service from working with its settings. The start and `npm run preflight` print the same. */
export interface SetupProblem {
  /** The variable to change. */
  variable: string
  /** What was tried and what came of it. */
  problem: string
  /** What to do, in the imperative. */
  remedy: string
}

/** The service cannot start: the message names the variable, the problem and what to do. */
export class SetupError extends Error {
  override readonly name = 'SetupError'

  constructor({ variable, problem, remedy }: SetupProblem, options?: ErrorOptions) {
    super(`${variable}: ${problem}. ${remedy}.`, options)
  }
}
