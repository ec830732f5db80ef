import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'

export interface HttpRequest {
  url: URL
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** For the whole exchange, from connecting to the last byte. */
  timeoutMs: number
  /** A response with a larger body is aborted. */
  maxBytes: number
}

export interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** Whether the request was sent twice, because a reused connection was closed. */
  retried: boolean
}

/** No complete response: unreachable or disconnected, timed out, or too large. */
export class HttpClientError extends Error {
  override readonly name = 'HttpClientError'
  readonly kind: 'unreachable' | 'timeout' | 'too-large'
  /** False if the request certainly did not reach the server. */
  readonly delivered: boolean

  constructor(kind: HttpClientError['kind'], options: { delivered?: boolean; cause?: unknown } = {}) {
    super(kind, { cause: options.cause })
    this.kind = kind
    this.delivered = options.delivered ?? true
  }
}

/**
 * HTTP client for third parties with bounded time, size and connections. No redirects, no decompression. Any status resolves;
 * anything but a complete response rejects with HttpClientError.
 */
export interface HttpClient {
  request(wanted: HttpRequest): Promise<HttpResponse>
  /** Aborts pending requests and closes all connections. */
  close(): void
}

const neverArrived = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

export function createHttpClient({ maxSockets }: { maxSockets: number }): HttpClient {
  const plain = new HttpAgent({ keepAlive: true, maxSockets })
  const secure = new HttpsAgent({ keepAlive: true, maxSockets })
  const running = new Set<ClientRequest>()

  const send = (wanted: HttpRequest, timeoutMs: number, retried: boolean): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const { url, method, body = '', maxBytes } = wanted
      const headers = {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'slipway',
        ...wanted.headers,
        ...(method === 'POST' && { 'content-length': String(Buffer.byteLength(body)) }),
      }
      const request =
        url.protocol === 'https:'
          ? requestHttps(url, { method, headers, agent: secure })
          : requestHttp(url, { method, headers, agent: plain })
      const start = performance.now()
      let answered = false
      let sentAgain = false
      const fail = (error: unknown) => {
        clearTimeout(timer)
        reject(error)
        request.destroy()
      }
      const timer = setTimeout(() => fail(new HttpClientError('timeout')), timeoutMs)
      running.add(request)
      request.on('close', () => {
        running.delete(request)
        if (!answered && !sentAgain) fail(new HttpClientError('unreachable'))
      })
      request.on('error', (cause: NodeJS.ErrnoException) => {
        const left = timeoutMs - (performance.now() - start)
        // Race: the server closed the idle connection while it was being reused. Retry once.
        if (request.reusedSocket && cause.code === 'ECONNRESET' && !answered && !retried && left > 0) {
          clearTimeout(timer)
          sentAgain = true
          send(wanted, left, true).then(resolve, reject)
        } else fail(new HttpClientError('unreachable', { cause, delivered: !neverArrived.has(cause.code ?? '') }))
      })
      request.on('response', (response) => {
        answered = true
        readBody(response, maxBytes).then((text) => {
          clearTimeout(timer)
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, retried })
        }, fail)
      })
      request.end(body)
    })

  return {
    request: (wanted) => send(wanted, wanted.timeoutMs, false),
    close: () => {
      for (const request of running) request.destroy()
      plain.destroy()
      secure.destroy()
    },
  }
}

function readBody(response: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = Number(response.headers['content-length'] ?? 0) > maxBytes ? Number.POSITIVE_INFINITY : 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) reject(new HttpClientError('too-large'))
      else chunks.push(chunk)
    })
    // A response shorter than its Content-Length is an error here, not a short body.
    response.on('error', (cause) => reject(new HttpClientError('unreachable', { cause })))
    response.on('close', () => {
      if (!response.complete) reject(new HttpClientError('unreachable'))
    })
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
  })
}
