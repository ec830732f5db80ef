import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/client.ts'
import type { ReadReplica } from '../db/postgres/read-replica.ts'
import { isAppError } from '../errors.ts'
import { type Concern, concernOf } from '../lib/cache/data-versions.ts'
import { chooseEncoding, type Encoding } from '../lib/http/accept-encoding.ts'
import { addVary, matchesTag, tagEncoded, tagOf } from '../lib/http/caching-headers.ts'
import { listApiHeaders } from '../lib/http/security-headers.ts'
import { QUOTA_HEADERS } from '../lib/rate-limit/headers.ts'
import { LARGE_BYTES } from './connections.ts'
import { COMPRESS_FROM } from './http.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Keeps the answers to anonymous GET requests until data of these concerns changes; `token` is the token of the
     * path. Set it only where the answer depends on nothing but the URL and stored data.
     */
    cache?: readonly Concern[]
  }
}

/** Larger answers are not kept. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024
/** Approximate bytes of an entry besides its body. */
const ENTRY_BYTES = 1_000
const JSON_TYPE = 'application/json; charset=utf-8'
const ENCODINGS = { br: true, gzip: true }

/** A serialized answer. */
interface Answer {
  /** A string until the answer is served again: most are not, and filling a new buffer takes longer than hashing it. */
  body: string | Buffer
  /** Bytes of the body in UTF-8. */
  length: number
  tag: string
  vary: string
  /** Forms that a client has asked for; null before the first. */
  encoded: Map<Encoding, Buffer> | null
  concerns: readonly string[]
  /** All changes up to this one are in it. */
  version: number
}

interface Versioned {
  payload: unknown
  version: number
}

interface Computation {
  /** The last change that was known when it began. */
  version: number
  /** Null once it has ended: V8 may keep what a busy map has held alive until it collects the old generation. */
  answer: Promise<Answer> | null
  /** The computation that starts when this one ends; null while no request waits for it. */
  next: Promise<Answer> | null
}

/**
 * Keeps the answers of routes with `cache` in their config. An onRequest hook sends a kept answer; register the plugin
 * after rate limits, which count every request. An onRoute hook coalesces requests for an answer that has to be
 * computed: one at a time for each URL. The rule of staleness is in docs/performance.md.
 */
export default fp<{ config: Pick<Config, 'answerCacheBytes' | 'production'> }>(
  async (app, { config }) => {
    const { answerCacheBytes } = config
    const { versions } = app.live
    const { cors, metrics, replica } = app
    const answers = new LRUCache<string, Answer>({
      // lru-cache takes 0 for no limit. No answer is as small as 1 byte.
      maxSize: Math.max(1, answerCacheBytes),
      maxEntrySize: Math.max(1, Math.min(answerCacheBytes, MAX_ANSWER_BYTES)),
      sizeCalculation: measure,
    })
    const computations = new Map<string, Computation>()
    const lookups = { hit: 0, miss: 0 }
    metrics.totals('answer_cache_lookups_total', 'Look-ups of cached answers, by result', () => lookups, 'result')
    metrics.gauge('answer_cache_bytes', 'Size of the cached answers', () => answers.calculatedSize)

    const findCurrent = (url: string): Answer | undefined => {
      const answer = answers.get(url)
      if (!answer || !versions.isCurrent(answer.concerns, answer.version)) return undefined
      toBytes(answer)
      return answer
    }

    const start = (url: string, make: () => Promise<Answer>): Promise<Answer> => {
      const { head: version } = versions
      const answer = make()
      const computation: Computation = { version, answer, next: null }
      computations.set(url, computation)
      const end = () => {
        computation.answer = null
        if (computation.next === null) computations.delete(url)
      }
      answer.then(end, end)
      return answer
    }

    const compute = (url: string, concerns: readonly string[], make: () => Promise<Answer>): Promise<Answer> => {
      const computation = computations.get(url)
      if (!computation?.answer) return start(url, make)
      if (versions.isCurrent(concerns, computation.version)) return computation.answer
      const startNext = () => start(url, make)
      computation.next ??= computation.answer.then(startNext, startNext)
      return computation.next
    }

    /** Runs the handler in a snapshot of the replica. `version`: all changes up to it are in the payload. */
    const readReplica = async (
      from: ReadReplica,
      request: FastifyRequest,
      handle: () => unknown,
    ): Promise<Versioned> => {
      const onReplica = async (trx: Db, version: number) => {
        request.db = trx
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
    const write = (answer: Answer, request: FastifyRequest, reply: FastifyReply): void => {
      const headers = [...constantHeaders, ...cors.headersFor(request.headers.origin), 'x-request-id', request.id]
      writeAnswer(answer, request, reply, headers)
    }
    // Left to the onSend hooks: they bound unread bytes of large answers, and close connections of a closing server.
    const needsHooks = ({ length }: Answer) => isClosing || length >= LARGE_BYTES
    // Returns nothing when the answer is written: Fastify would wait for a reply that it gets.
    const respond = (answer: Answer, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
      if (needsHooks(answer)) return sendAnswer(answer, request, reply)
      write(answer, request, reply)
      return undefined
    }
    app.addHook('onRequest', (request, reply, done) => {
      const { cache, bucket } = request.route.config ?? {}
      // A bucket is counted by a later hook.
      if (!cache || bucket || request.method !== 'GET' || !isAnonymous(request)) return done()
      const answer = findCurrent(request.url)
      if (answer) lookups.hit++
      else lookups.miss++
      if (!answer || needsHooks(answer)) return done()
      write(answer, request, reply)
    })

    app.addHook('onRoute', (route) => {
      const concerns = route.config?.cache
      if (!concerns || route.method !== 'GET') return
      const { handler } = route
      // Chained callbacks: an await in each of these functions would double the promises of a computed answer.
      const answer: RouteHandlerMethod = function (request, reply) {
        if (!isAnonymous(request)) return handler.call(this, request, reply)
        const kept = findCurrent(request.url)
        if (kept) return respond(kept, request, reply)
        const dependencies = listDependencies(concerns, request)
        const keep = (payload: unknown, version: number): Answer => {
          const body = reply.serialize(payload) as string
          addVary(reply, 'accept-encoding')
          if (cors.varies) addVary(reply, 'origin')
          const vary = String(reply.getHeader('vary'))
          const [tag, length] = [tagOf(body), Buffer.byteLength(body)]
          const answer = { body, length, tag, vary, encoded: null, concerns: dependencies, version }
          answers.set(request.url, answer)
          return answer
        }
        const make = (): Promise<Answer> => {
          const handle = () => handler.call(this, request, reply)
          if (replica?.status().state === 'ok')
            return readReplica(replica, request, handle).then(({ payload, version }) => keep(payload, version))
          const version = startOnPrimary(request)
          return Promise.resolve(handle()).then((payload) => keep(payload, version))
        }
        return compute(request.url, dependencies, make).then((answer) => respond(answer, request, reply))
      }
      route.handler = answer
    })
  },
  {
    name: 'answer-cache',
    dependencies: ['connections', 'http', 'live-events', 'metrics', 'rate-limits', 'request-db'],
  },
)

/** An authenticated request reads current data, with personal fields. */
const isAnonymous = ({ headers }: FastifyRequest): boolean => headers.authorization === undefined

/** The compressed forms of JSON together are smaller than it, and a string has up to two bytes a character. */
const measure = ({ length }: Answer): number => ENTRY_BYTES + 2 * length

/** A change of `token` is one of all tokens, so the answer depends on both. */
const listDependencies = (concerns: readonly Concern[], { params }: FastifyRequest): readonly string[] =>
  concerns.includes('token') ? [...concerns, concernOf((params as { address: string }).address)] : concerns

/** Sends an answer in an encoding that the client accepts, or 304 if the client has it. */
function sendAnswer(answer: Answer, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ etag: answer.tag, vary: answer.vary })
  if (matchesTag(headers['if-none-match'], answer.tag)) return reply.code(304).send()
  const encoding = findEncoding(answer, headers['accept-encoding'])
  if (encoding) reply.header('content-encoding', encoding)
  const body = encoding ? compress(answer, encoding) : toBytes(answer)
  return reply.header('content-type', JSON_TYPE).send(body)
}

/**
 * Does the same without Fastify's reply and its hooks, which would take most of the time. pairs: names and values of the headers
 * that do not depend on the answer.
 */
function writeAnswer(
  answer: Answer,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  pairs: (string | number)[],
): void {
  const { tag } = answer
  const { quotaHeaders, raw } = reply
  pairs.push('vary', answer.vary)
  if (quotaHeaders) for (const name of QUOTA_HEADERS) pairs.push(name, quotaHeaders[name])
  reply.hijack()
  if (matchesTag(headers['if-none-match'], tag)) {
    pairs.push('etag', tag)
    raw.writeHead(304, pairs)
    raw.end()
    return
  }
  const encoding = findEncoding(answer, headers['accept-encoding'])
  const body = encoding ? compress(answer, encoding) : answer.body
  pairs.push('content-type', JSON_TYPE, 'content-length', encoding ? body.length : answer.length)
  if (encoding) pairs.push('etag', tagEncoded(tag, encoding), 'content-encoding', encoding)
  else pairs.push('etag', tag)
  raw.writeHead(200, pairs)
  // Characters that are bytes in either encoding: Node writes latin1 without looking at each.
  if (body.length === answer.length) raw.end(body, 'latin1')
  else raw.end(body)
}

/** The encoding that the client accepts; null where it would not pay. */
const findEncoding = ({ length }: Answer, accepted: string | undefined): Encoding | null =>
  accepted === undefined || length < COMPRESS_FROM ? null : chooseEncoding(accepted, ENCODINGS)

function toBytes(answer: Answer): Buffer {
  if (typeof answer.body === 'string') answer.body = Buffer.from(answer.body)
  return answer.body
}

function compress(answer: Answer, encoding: Encoding): Buffer {
  answer.encoded ??= new Map()
  const { encoded } = answer
  const bytes = toBytes(answer)
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
