import type { LookupAddress } from 'node:dns'
import { get as getHttp, type IncomingMessage } from 'node:http'
import { get as getHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'
import { resolveHost } from './resolve-host.ts'

const MAX_REDIRECTS = 4

/**
 * Why a URL is not fetched, or its answer not accepted; another attempt would fail as well. For logs only: the details must not
 * reach the user who supplied the URL.
 */
export class FetchRejectedError extends Error {
  override readonly name = 'FetchRejectedError'
}

export interface FetchBounds {
  maxBytes: number
  signal: AbortSignal
  /** An operator's base URL ending in a slash. URLs below it may use any address, and plain HTTP. */
  exemptBelow?: string
}

/**
 * Returns the body. Rejects with a FetchRejectedError if the URL is not allowed, its server has nothing there, or the body exceeds
 * `maxBytes`; with another error if the server is unavailable or busy, or `signal` aborts.
 */
export type GuardedFetch = (url: string, bounds: FetchBounds) => Promise<Buffer>

interface Options {
  /** Returns all addresses of a host name. `signal`: that of the fetch. */
  resolve?: (host: string, options: { signal: AbortSignal }) => Promise<LookupAddress[]>
}

/**
 * Fetches untrusted URLs without SSRF: https on the default port, public addresses only. The connection uses the address that
 * was checked, which defeats DNS rebinding, and every redirect is checked again.
 */
export function createGuardedFetch({ resolve = resolveHost }: Options = {}): GuardedFetch {
  const resolvePublic =
    (signal: AbortSignal): LookupFunction =>
    (host, options, callback) => {
      resolve(host, { signal }).then(
        (addresses) => {
          const hidden = addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address))
          if (hidden) return callback(new FetchRejectedError(`${host} is not of the public internet`), '', 4)
          if (options.all) return callback(null, addresses)
          callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
        },
        (error: Error) => callback(error as NodeJS.ErrnoException, '', 4),
      )
    }

  const request = (url: URL, { signal, exemptBelow }: FetchBounds): Promise<IncomingMessage> => {
    const free = exemptBelow !== undefined && isBelow(url, new URL(exemptBelow))
    if (!free) checkUrl(url)
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const get = url.protocol === 'https:' ? getHttps : getHttp
    get(url, {
      signal,
      // No connection reuse: a pooled connection was checked under other rules.
      agent: false,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'slipway' },
      ...(!free && { lookup: resolvePublic(signal) }),
    })
      .on('response', resolve)
      .on('error', reject)
    return promise
  }

  return async (given, bounds) => {
    let url = parse(given)
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await request(url, bounds)
      const { statusCode = 0, headers } = response
      if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
        response.destroy()
        url = parse(headers.location, url)
        continue
      }
      return readBody(response, bounds.maxBytes)
    }
    throw new FetchRejectedError('Too many redirects')
  }
}

/** Whether a URL lies below a base URL, in any interpretation of percent-encoded paths. */
function isBelow(url: URL, { origin, pathname }: URL): boolean {
  return url.origin === origin && url.username === '' && url.pathname.startsWith(pathname) && isPlainPath(url.pathname)
}

/** Whether no segment is "." or "..", even after repeated percent-decoding. */
export function isPlainPath(path: string): boolean {
  let text = path
  for (let depth = 0; depth < 8; depth++) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the check rejects control characters.
    if (/[\\\u0000-\u001f\u007f]/.test(text) || text.split('/').some((part) => part === '.' || part === '..'))
      return false
    const decoded = decodeLoosely(text)
    if (decoded === text) return true
    // A decoded slash would split the segment.
    if (decoded.split('/').length !== text.split('/').length) return false
    text = decoded
  }
  return false
}

/** Decodes valid percent-encoding and leaves the rest unchanged. */
export function decodeLoosely(text: string): string {
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded
    }
  })
}

function parse(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (!url) throw new FetchRejectedError('Not a URL')
  return url
}

/** Checks a URL. Host names are checked on resolution, but an IP literal is never resolved: check it here. */
function checkUrl({ protocol, port, username, password, hostname }: URL): void {
  if (protocol !== 'https:') throw new FetchRejectedError(`${protocol} is not fetched`)
  if (port !== '') throw new FetchRejectedError(`Port ${port} is not fetched`)
  if (username !== '' || password !== '') throw new FetchRejectedError('Credentials are not sent')
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0 && !isPublicAddress(literal))
    throw new FetchRejectedError('Not an address of the public internet')
}

/** Statuses of a server that may answer otherwise soon: it is busy, or waits for another one. */
const isTransient = (status: number): boolean => status >= 500 || status === 408 || status === 425 || status === 429

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  try {
    const { statusCode = 0, headers } = response
    if (isTransient(statusCode)) throw new Error(`Answered ${statusCode}`)
    if (statusCode !== 200) throw new FetchRejectedError(`Answered ${statusCode}`)
    if (headers['content-encoding'] && headers['content-encoding'] !== 'identity')
      throw new FetchRejectedError('Answered in an encoding that was not asked for')
    // Count the received bytes: Content-Length may be wrong.
    const chunks: Buffer[] = []
    let size = 0
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw new FetchRejectedError('Answered with too much')
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw new FetchRejectedError('Answered with too much')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } finally {
    response.destroy()
  }
}
