import { type ErrorReason, SlipwayError } from './errors.ts'
import { learnTime } from './service-time.ts'
import { readSubject } from './token-claims.ts'

/** Longer than the service's own timeouts, so that its response arrives first. */
export const DEFAULT_TIMEOUT_MS = 30_000
/**
 * For receipt syncs and uploads. By default a sync waits 4 s for the receipt, 10 s for its node, 10 s for its turn to write and
 * 15 s for a statement.
 */
const SLOW_TIMEOUT_MS = 90_000

export interface ClientOptions {
  /**
   * URL of the service, at either mount: `https://launch.example` or `https://launch.example/api`. May be a path in a browser.
   */
  baseUrl: string
  /** Token of an earlier sign-in. */
  token?: string
  /** Replaces the global fetch. */
  fetch?: typeof fetch
  /**
   * Timeout of a request including its response body; 30,000 by default, 0 for none. Receipt syncs and uploads have at least
   * 90,000.
   */
  timeoutMs?: number
  /**
   * Called when the service rejects the client's token (401), with its wallet. If it signs that wallet in again and returns true,
   * the request is sent once more. A request is never repeated as another wallet.
   */
  onUnauthorized?: (
    error: SlipwayError,
    wallet: string | undefined,
  ) => boolean | undefined | Promise<boolean | undefined>
}

/** Sends operations. */
export interface Client {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** Set by signIn and signOut. */
  token: string | undefined
  /** Calls `listen` when the token changes. Returns the function that stops it. */
  readonly watchToken: (listen: () => void) => () => void
  /** Sends one call. Throws SlipwayError for any response but a success. */
  readonly send: <Answer>(call: Call, given?: Given) => Promise<Answer>
}

/** HTTP description of an operation. */
export interface Call {
  method: string
  /** Path template with parameters in braces. */
  path: string
  /** Whether to send the token, if there is one. */
  auth?: boolean
  /** Send the body as a form instead of JSON. */
  form?: boolean
  /** Whether the service may need longer than for a read. */
  slow?: boolean
  /** Response formats, if not the JSON envelope. */
  json?: boolean
  blob?: boolean
  text?: boolean
  /** Whether the fields of the flat form are query parameters, or those of the body; neither for an operation without fields. */
  query?: boolean
  body?: boolean
}

export interface Given {
  path?: object
  query?: object
  body?: unknown
  signal?: AbortSignal
  headers?: Record<string, string>
  timeoutMs?: number
}

/** Creates a client of the service at `baseUrl`. It does not retry. */
export function createClient(options: ClientOptions): Client {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, onUnauthorized } = options
  const page = (globalThis as { location?: { href: string } }).location?.href
  const url = new URL(options.baseUrl, page)
  // `localhost:3000` is a URL, too: of the scheme `localhost:`.
  if (!url.protocol.startsWith('http')) throw new TypeError('baseUrl must begin with http')
  const baseUrl = url.href.replace(/\/+$/, '')

  const attempt = async <Answer>(call: Call, given: Given, token: string | undefined): Promise<Answer> => {
    const ms = given.timeoutMs ?? (call.slow && timeoutMs > 0 ? Math.max(timeoutMs, SLOW_TIMEOUT_MS) : timeoutMs)
    const signals = [given.signal, ms > 0 ? AbortSignal.timeout(ms) : undefined]
    const { body, type } = writeBody(call, given.body)
    // Look up the global on each call, since a page may replace it; browsers reject a detached fetch.
    const request = options.fetch ?? fetch
    const response = await request(baseUrl + fillPath(call.path, given.path) + writeQuery(given.query), {
      method: call.method,
      signal: AbortSignal.any(signals.filter((signal) => signal !== undefined)),
      headers: {
        ...(type && { 'content-type': type }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...given.headers,
      },
      ...(body !== undefined && { body }),
    })
    learnTime(client, response.headers.get('date'))
    if (!response.ok) throw await readFailure(call, response)
    return (await readAnswer(call, response)) as Answer
  }

  let currentToken = options.token
  const listeners = new Set<() => void>()
  const client: Client = {
    baseUrl,
    token: undefined,
    watchToken: (listen) => {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
    send: async (call, given = {}) => {
      const token = call.auth ? client.token : undefined
      try {
        return await attempt(call, given, token)
      } catch (error) {
        if (!token || !onUnauthorized || !(error instanceof SlipwayError) || error.status !== 401) throw error
        const wallet = readSubject(token)
        // A token that names no wallet is replaced by that of any.
        const isOthers = () => wallet !== undefined && readSubject(client.token) !== wallet
        if (isOthers() || !(await onUnauthorized(error, wallet)) || isOthers()) throw error
        return attempt(call, given, client.token)
      }
    },
  }
  // Not enumerable: what prints or serializes a client, as error trackers do, must not contain the token.
  Object.defineProperty(client, 'token', {
    enumerable: false,
    get: () => currentToken,
    set: (token: string | undefined) => {
      if (token === currentToken) return
      currentToken = token
      for (const listen of [...listeners]) listen()
    },
  })
  return client
}

function fillPath(path: string, parameters: object | undefined): string {
  const values = (parameters ?? {}) as Record<string, unknown>
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (values[name] === undefined || values[name] === '') throw new TypeError(`path.${name} is missing`)
    return encodeURIComponent(String(values[name]))
  })
}

function writeQuery(query: object | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined)
      .map((one): [string, string] => [name, String(one)]),
  )
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
}

function writeBody({ form }: Call, body: unknown): { body?: string | FormData; type?: string } {
  if (body === undefined) return {}
  if (!form) {
    const text = JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
    return { body: text, type: 'application/json' }
  }
  const data = new FormData()
  for (const [name, value] of Object.entries(body as object))
    if (value instanceof Blob) data.append(name, value, (value as { name?: string }).name ?? name)
    else if (value !== undefined) data.append(name, String(value))
  // fetch sets the content type, with the multipart boundary.
  return { body: data }
}

async function readAnswer(call: Call, response: Response): Promise<unknown> {
  if (response.status === 204) return undefined
  if (call.blob) return readBody(response.blob())
  const text = await readBody(response.text())
  if (call.text) return text
  const json = parseJson(text) as { success?: boolean; data?: unknown } | undefined
  if (call.json && json !== undefined) return json
  if (json?.success !== true) throw makeFailure(call, response, 'The answer is not an envelope of this service')
  return json.data
}

/** A body that is cut off is an error of the network, for which each platform has its own words. */
const readBody = <Body>(body: Promise<Body>): Promise<Body> =>
  body.catch((error: unknown) => {
    throw error instanceof TypeError ? new TypeError('network error', { cause: error }) : error
  })

/** undefined for what is no JSON, such as the page of a proxy. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readFailure(call: Call, response: Response): Promise<SlipwayError> {
  const json = parseJson(await response.text().catch(() => '')) as
    | { error?: string | { message?: string } }
    | null
    | undefined
  // The envelope's error is a string, that of JSON-RPC an object.
  const error = json?.error
  const message = typeof error === 'string' ? error : error?.message
  return makeFailure(call, response, message || response.statusText || `HTTP ${response.status}`)
}

function makeFailure({ method, path }: Call, { status, headers }: Response, message: string): SlipwayError {
  const after = headers.get('retry-after')
  const seconds = after === null ? Number.NaN : Number(after)
  return new SlipwayError({
    status,
    message,
    reason: (headers.get('x-error-reason') as ErrorReason | null) ?? undefined,
    retryAfter: Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    operation: `${method} ${path}`,
  })
}
