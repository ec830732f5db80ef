import { Agent, type OutgoingHttpHeaders, request } from 'node:http'

export interface LoadTask {
  url: string
  node: string
  contracts: Record<string, string>
  sockets: number
  /** Requests per second. */
  rate: number
}

/** Counts since the last report. */
export interface LoadReport {
  seconds: number
  answers: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** 5xx other than a 503 with Retry-After, or no response. */
  failures: number
  overloaded: number
  sockets: number
  messages: number
  replays: number
  /** Sockets closed by the service or an error, and then reopened. */
  breaks: number
  /** A few unexpected responses. */
  surprises: string[]
}

export interface Answer {
  status: number
  retryAfter: string | undefined
  text: string
}

export interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Buffer
  expect: readonly number[]
  /** Receives the response. */
  read?: (status: number, text: string) => void
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 })

/** Without a response the status is 0. */
export function ask(url: string, { method, path, headers, body }: Sent): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ status: 0, retryAfter: undefined, text: error.message })
    const given: OutgoingHttpHeaders = { ...headers }
    if (body !== undefined) given['content-length'] = Buffer.byteLength(body)
    const sent = request(url + path, { method, agent, headers: given, timeout: 30_000 }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('timeout', () => sent.destroy(new Error('No response in 30 s')))
    sent.on('error', fail)
    sent.end(body)
  })
}

/** Number of client addresses, which bounds the service's state per address. */
const ADDRESSES = 20_000
export function address(): string {
  const n = Math.floor(Math.random() * ADDRESSES)
  return `10.${n >> 14}.${(n >> 7) & 127}.${n & 127}`
}

export function send(
  method: string,
  path: string,
  token: string | undefined,
  body: unknown,
  expect: readonly number[],
): Sent {
  const headers: Record<string, string> = { 'x-forwarded-for': address() }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  if (body === undefined) return { method, path, headers, expect }
  return {
    method,
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    expect,
  }
}
