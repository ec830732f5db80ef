// Saves two thirds of the processor time of a read of a token: 22 microseconds instead of 62 to 66 (`npm run bench:reads`).
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/client.ts'
import type { ReadReplica } from '../db/postgres/read-replica.ts'
import { isAppError } from '../errors.ts'
import { type CacheTag, cacheTagOf } from '../lib/cache/data-versions.ts'
import { chooseEncoding, type Encoding } from '../lib/http/accept-encoding.ts'
import { addVary, matchesTag, tagEncoded, tagOf } from '../lib/http/caching-headers.ts'
import { listApiHeaders } from '../lib/http/security-headers.ts'
import { QUOTA_HEADERS } from '../lib/rate-limit/headers.ts'
import { LARGE_BYTES } from './connections.ts'
import { COMPRESS_FROM } from './http.ts'
import { bucketOf } from './rate-limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Keeps the responses to anonymous GET requests until data of these cache tags changes; `token` is the token of the
     * path. Set it only where the response depends on nothing but the URL and stored data.
     */
    cache?: readonly CacheTag[]
    /** Keeps them for no longer than this: for data that also change by time alone. */
    cacheMs?: number
  }
}

/** Larger responses are not kept. */
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024
/** Approximate bytes of an entry besides its body. */
const ENTRY_BYTES = 1_000
const JSON_TYPE = 'application/json; charset=utf-8'
const ENCODINGS = { br: true, gzip: true }

/** A serialized response. */
interface KeptResponse {
  /** A string until the response is served again: most are not, and filling a new buffer takes longer than hashing it. */
  body: string | Buffer
  /** Bytes of the body in UTF-8. */
  length: number
  tag: string
  vary: string
  /** Forms that a client has asked for; null before the first. */
  encoded: Map<Encoding, Buffer> | null
  cacheTags: readonly string[]
  /** All changes up to this one are in it. */
  version: number
  /** By performance.now(). */
  expiresAt: number
}

interface Versioned {
  payload: unknown
  version: number
}

interface Computation {
  /** The last change that was known when it began. */
  version: number
  /** Null once it has ended: V8 may keep what a busy map has held alive until it collects the old generation. */
  response: Promise<KeptResponse> | null
  /** The computation that starts when this one ends; null while no request waits for it. */
  next: Promise<KeptResponse> | null
}

/**
 * Keeps the responses of routes with `cache` in their config. An onRequest hook sends a kept response; register the plugin
 * after rate limits, which count every request. An onRoute hook coalesces requests for a response that has to be
 * computed: one at a time for each URL. The rule of staleness is in docs/performance.md.
 */
export default fp<{ config: Pick<Config, 'responseCacheBytes' | 'production'> }>(
  async (app, { config }) => {
    const { responseCacheBytes } = config
    const { versions } = app.live
    const { cors, metrics, replica } = app
    const responses = new LRUCache<string, KeptResponse>({
      // lru-cache takes 0 for no limit. No response is as small as 1 byte.
      maxSize: Math.max(1, responseCacheBytes),
      maxEntrySize: Math.max(1, Math.min(responseCacheBytes, MAX_RESPONSE_BYTES)),
      sizeCalculation: measure,
    })
    const computations = new Map<string, Computation>()
    const lookups = { hit: 0, miss: 0 }
    metrics.totals('answer_cache_lookups_total', 'Look-ups of cached responses, by result', () => lookups, 'result')
    metrics.gauge('answer_cache_bytes', 'Size of the cached responses', () => responses.calculatedSize)

    const findCurrent = (url: string): KeptResponse | undefined => {
      const response = responses.get(url)
      if (!response || !versions.isCurrent(response.cacheTags, response.version)) return undefined
      if (performance.now() > response.expiresAt) return undefined
      toBytes(response)
      return response
    }

    const start = (url: string, make: () => Promise<KeptResponse>): Promise<KeptResponse> => {
      const { head: version } = versions
      const response = make()
      const computation: Computation = { version, response, next: null }
      computations.set(url, computation)
      // Before the next one starts, which waits for the same promise.
      const end = () => {
        computation.response = null
        computations.delete(url)
      }
      response.then(end, end)
      return response
    }

    const compute = (
      url: string,
      cacheTags: readonly string[],
      make: () => Promise<KeptResponse>,
    ): Promise<KeptResponse> => {
      const computation = computations.get(url)
      if (!computation?.response) return start(url, make)
      if (versions.isCurrent(cacheTags, computation.version)) return computation.response
      const startNext = () => start(url, make)
      computation.next ??= computation.response.then(startNext, startNext)
      return computation.next
    }

    /** Runs the handler in a snapshot of the replica. `version`: all changes up to it are in the payload. */
    const readReplica = async (
      from: ReadReplica,
      request: FastifyRequest,
      handle: () => unknown,
    ): Promise<Versioned> => {
      const onReplica = async (trx: Db, last: number) => {
        request.db = trx
        // Lists that come from the memory of this process have the changes that it knows.
        const version = Math.min(last, versions.head)
        return { payload: await handle(), version }
      }
      try {
        return await from.readSnapshot(onReplica)
      } catch (error) {
        if (isAppError(error)) throw error
        const version = startOnPrimary(request)
        return { payload: await handle(), version }
      }
    }
    /** A read of the primary that starts now contains every change that this process knows. */
    const startOnPrimary = (request: FastifyRequest): number => {
      request.db = app.databases.reads
      return versions.head
    }

    let isClosing = false
    app.addHook('preClose', async () => {
      isClosing = true
    })
    const constantHeaders = Object.entries({ 'cache-control': 'public, no-cache', ...listApiHeaders(config) }).flat()
    const write = (response: KeptResponse, request: FastifyRequest, reply: FastifyReply): void => {
      const headers = [...constantHeaders, ...cors.headersFor(request.headers.origin), 'x-request-id', request.id]
      writeResponse(response, request, reply, headers)
    }
    // Left to the onSend hooks: they bound unread bytes of large responses, and close connections of a closing server.
    const needsHooks = ({ length }: KeptResponse) => isClosing || length >= LARGE_BYTES
    // Returns nothing when the response is written: Fastify would wait for a reply that it gets.
    const respond = (
      response: KeptResponse,
      request: FastifyRequest,
      reply: FastifyReply,
    ): FastifyReply | undefined => {
      if (needsHooks(response)) return sendResponse(response, request, reply)
      write(response, request, reply)
      return undefined
    }
    app.addHook('onRequest', (request, reply, done) => {
      const { cache } = request.route.config ?? {}
      // A bucket is counted by a later hook.
      if (!cache || bucketOf(request) || request.method !== 'GET' || !isAnonymous(request)) return done()
      const response = findCurrent(request.url)
      if (response) lookups.hit++
      else lookups.miss++
      if (!response || needsHooks(response)) return done()
      write(response, request, reply)
    })

    app.addHook('onRoute', (route) => {
      const { cache: cacheTags, cacheMs = Number.POSITIVE_INFINITY, heavyRead } = route.config ?? {}
      if (!cacheTags || route.method !== 'GET') return
      const { handler } = route
      // Chained callbacks: an await in each of these functions would double the promises of a computed response.
      const response: RouteHandlerMethod = function (request, reply) {
        if (!isAnonymous(request)) {
          if (!heavyRead) return handler.call(this, request, reply)
          return app.runHeavyRead(request, async () => handler.call(this, request, reply))
        }
        const kept = findCurrent(request.url)
        if (kept) return respond(kept, request, reply)
        const dependencies = listDependencies(cacheTags, request)
        const keep = (payload: unknown, version: number): KeptResponse => {
          const body = reply.serialize(payload) as string
          addVary(reply, 'accept-encoding')
          if (cors.varies) addVary(reply, 'origin')
          const vary = String(reply.getHeader('vary'))
          const [tag, length] = [tagOf(body), Buffer.byteLength(body)]
          const expiresAt = performance.now() + cacheMs
          const response = { body, length, tag, vary, encoded: null, cacheTags: dependencies, version, expiresAt }
          responses.set(request.url, response)
          return response
        }
        const make = (): Promise<KeptResponse> => {
          const handle = () => handler.call(this, request, reply)
          if (replica?.status().state === 'ok')
            return readReplica(replica, request, handle).then(({ payload, version }) => keep(payload, version))
          const version = startOnPrimary(request)
          return Promise.resolve(handle()).then((payload) => keep(payload, version))
        }
        const run = heavyRead ? () => app.runHeavyRead(request, make) : make
        return compute(request.url, dependencies, run).then((response) => respond(response, request, reply))
      }
      route.handler = response
    })
  },
  {
    name: 'response-cache',
    dependencies: ['connections', 'heavy-reads', 'http', 'live-events', 'metrics', 'rate-limits', 'request-db'],
  },
)

/** An authenticated request reads current data, with personal fields. */
const isAnonymous = ({ headers }: FastifyRequest): boolean => headers.authorization === undefined

/**
 * The compressed forms of JSON together are smaller than it, and a string has up to two bytes a character. The URL is as long as a
 * client makes it.
 */
const measure = ({ length }: KeptResponse, url: string): number => ENTRY_BYTES + 2 * (length + url.length)

/** A change of `token` is one of all tokens, so the response depends on both. */
const listDependencies = (cacheTags: readonly CacheTag[], { params }: FastifyRequest): readonly string[] =>
  cacheTags.includes('token') ? [...cacheTags, cacheTagOf((params as { address: string }).address)] : cacheTags

/** Sends a response in an encoding that the client accepts, or 304 if the client has it. */
function sendResponse(response: KeptResponse, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ etag: response.tag, vary: response.vary })
  if (matchesTag(headers['if-none-match'], response.tag)) return reply.code(304).send()
  const encoding = findEncoding(response, headers['accept-encoding'])
  if (encoding) reply.header('content-encoding', encoding)
  const body = encoding ? compress(response, encoding) : toBytes(response)
  return reply.header('content-type', JSON_TYPE).send(body)
}

/**
 * Does the same without Fastify's reply and its hooks, which would take most of the time. pairs: names and values of the headers
 * that do not depend on the response.
 */
function writeResponse(
  response: KeptResponse,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  pairs: (string | number)[],
): void {
  const { tag } = response
  const { quotaHeaders, raw } = reply
  pairs.push('vary', response.vary)
  if (quotaHeaders) for (const name of QUOTA_HEADERS) pairs.push(name, quotaHeaders[name])
  reply.hijack()
  if (matchesTag(headers['if-none-match'], tag)) {
    pairs.push('etag', tag)
    raw.writeHead(304, pairs)
    raw.end()
    return
  }
  const encoding = findEncoding(response, headers['accept-encoding'])
  const body = encoding ? compress(response, encoding) : response.body
  pairs.push('content-type', JSON_TYPE, 'content-length', encoding ? body.length : response.length)
  if (encoding) pairs.push('etag', tagEncoded(tag, encoding), 'content-encoding', encoding)
  else pairs.push('etag', tag)
  raw.writeHead(200, pairs)
  // Characters that are bytes in either encoding: Node writes latin1 without looking at each.
  if (body.length === response.length) raw.end(body, 'latin1')
  else raw.end(body)
}

/** The encoding that the client accepts; null where it would not pay. */
const findEncoding = ({ length }: KeptResponse, accepted: string | undefined): Encoding | null =>
  accepted === undefined || length < COMPRESS_FROM ? null : chooseEncoding(accepted, ENCODINGS)

function toBytes(response: KeptResponse): Buffer {
  if (typeof response.body === 'string') response.body = Buffer.from(response.body)
  return response.body
}

function compress(response: KeptResponse, encoding: Encoding): Buffer {
  response.encoded ??= new Map()
  const { encoded } = response
  const bytes = toBytes(response)
  let compressed = encoded.get(encoding)
  if (!compressed) {
    compressed =
      encoding === 'br'
        ? brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
        : gzipSync(bytes)
    encoded.set(encoding, compressed)
  }
  return compressed
}
