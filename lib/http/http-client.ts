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
  /** For all of it, from the connection to the last byte. */
  timeoutMs: number
  /** An answer with a larger body is given up as soon as that is known. */
  maxBytes: number
}

export interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** Whether it was sent twice, because an idle connection turned out to be closed. */
  retried: boolean
}

/** No whole answer: nobody there or cut off, not in time, or larger than allowed. */
export class HttpClientError extends Error {
  override readonly name = 'HttpClientError'
  readonly kind: 'unreachable' | 'timeout' | 'too-large'
  /** False when the request surely never reached anybody. */
  readonly delivered: boolean

  constructor(kind: HttpClientError['kind'], options: { delivered?: boolean; cause?: unknown } = {}) {
    super(kind, { cause: options.cause })
    this.kind = kind
    this.delivered = options.delivered ?? true
  }
}

/**
 * Asks third parties, with a bound on everything that they could do to us: time, size, connections. Redirects are not
 * followed, and bodies are not decompressed. Any status is an answer; what is not one rejects with an HttpFailure.
 */
export interface HttpClient {
  request(wanted: HttpRequest): Promise<HttpResponse>
  /** Gives up what is under way and closes every connection. */
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
        // The other side may close an idle connection in the very moment that we take it up again: that is no failure.
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
    // An answer that ends before its declared length is an error here, and not a short body.
    response.on('error', (cause) => reject(new HttpClientError('unreachable', { cause })))
    response.on('close', () => {
      if (!response.complete) reject(new HttpClientError('unreachable'))
    })
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
  })
}
