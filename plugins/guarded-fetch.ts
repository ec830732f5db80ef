import { lookup } from 'node:dns/promises'
import { get as getHttp, type IncomingMessage } from 'node:http'
import { get as getHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

const REDIRECTS = 4

/** Why something was not fetched. For the log: who named the URL is told nothing. */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused'
}

/** The bytes at a URL. Rejects when they may not be fetched, are more than `maximum`, or take longer than `signal` lets them. */
export type GuardedFetch = (url: string, bounds: { maximum: number; signal: AbortSignal }) => Promise<Buffer>

interface Options {
  /** Origins that the operator has named, such as a gateway of their own: these may be anywhere and speak plain HTTP. */
  trusted?: readonly string[]
  /** Addresses of a name, all of them. */
  resolve?: (host: string) => Promise<{ address: string; family: number }[]>
}

const resolveAll = (host: string) => lookup(host, { all: true, verbatim: true })

/**
 * Fetches what strangers name, without lending them our place in the network: https on its own port, to public addresses
 * alone. The address that is checked is the one that is connected to (a name could answer differently the second time),
 * and every redirect is checked as the first URL was.
 */
export function createGuardedFetch({ trusted = [], resolve = resolveAll }: Options = {}): GuardedFetch {
  const isTrusted = (url: URL) => trusted.includes(url.origin)

  const resolvePublic: LookupFunction = (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const hidden = addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address))
        if (hidden) return callback(new FetchRefused(`${host} is not of the public internet`), '', 4)
        if (options.all) return callback(null, addresses)
        callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
      },
      (error: Error) => callback(error as NodeJS.ErrnoException, '', 4),
    )
  }

  const request = (url: URL, signal: AbortSignal): Promise<IncomingMessage> => {
    const free = isTrusted(url)
    if (!free) checkUrl(url)
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const get = url.protocol === 'https:' ? getHttps : getHttp
    get(url, {
      signal,
      // A connection of its own: one kept from before was checked for somebody else.
      agent: false,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'slipway' },
      ...(!free && { lookup: resolvePublic }),
    })
      .on('response', resolve)
      .on('error', reject)
    return promise
  }

  return async (given, { maximum, signal }) => {
    let url = parse(given)
    for (let hop = 0; hop <= REDIRECTS; hop++) {
      const response = await request(url, signal)
      const { statusCode = 0, headers } = response
      if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
        response.destroy()
        url = parse(headers.location, url)
        continue
      }
      return readBody(response, maximum)
    }
    throw new FetchRefused('Too many redirects')
  }
}

function parse(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (!url) throw new FetchRefused('Not a URL')
  return url
}

/** Names are checked when they are resolved; an address that stands in the URL itself is never resolved. */
function checkUrl({ protocol, port, username, password, hostname }: URL): void {
  if (protocol !== 'https:') throw new FetchRefused(`${protocol} is not fetched`)
  if (port !== '') throw new FetchRefused(`Port ${port} is not fetched`)
  if (username !== '' || password !== '') throw new FetchRefused('Credentials are not sent')
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw new FetchRefused('Not an address of the public internet')
}

async function readBody(response: IncomingMessage, maximum: number): Promise<Buffer> {
  try {
    const { statusCode, headers } = response
    if (statusCode !== 200) throw new FetchRefused(`Answered ${statusCode}`)
    if (headers['content-encoding'] && headers['content-encoding'] !== 'identity')
      throw new FetchRefused('Answered in an encoding that was not asked for')
    // Counted while it comes in: what a server announces need not be what it sends.
    const chunks: Buffer[] = []
    let size = 0
    if (Number(headers['content-length'] ?? 0) > maximum) throw new FetchRefused('Answered with too much')
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maximum) throw new FetchRefused('Answered with too much')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } finally {
    response.destroy()
  }
}
