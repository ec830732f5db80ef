import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest, onRequestHookHandler, RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config.ts'
import type { Db } from '../db/client.ts'
import { isAppError } from '../errors.ts'
import { type Concern, concernOf } from '../lib/cache/data-versions.ts'
import { chooseEncoding, type Encoding } from '../lib/http/accept-encoding.ts'
import { matchesTag, tagOf } from '../lib/http/caching-headers.ts'
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
/** However current an answer seems: for rows that were changed by hand, and work that a read starts in the background. */
const MAX_AGE_MS = 60_000
const ENCODINGS = { br: true, gzip: true }

/** A serialized answer. */
interface Answer {
  bytes: Buffer
  tag: string
  /** Forms that a client has asked for. */
  encoded: Map<Encoding, Buffer>
  concerns: readonly string[]
  /** All changes up to this one are in it. */
  version: number
  /** Of performance.now. */
  expiresAt: number
}

interface Versioned {
  payload: unknown
  version: number
}

interface Computation {
  /** The last change that was known when it began. */
  version: number
  answer: Promise<Answer>
  /** The computation that starts when this one ends; null while no request waits for it. */
  next: Promise<Answer> | null
}

/**
 * Adds an onRoute hook that keeps the answers of routes with `cache` in their config, and coalesces requests for an
 * answer that has to be computed: one at a time for each URL. The rule of staleness is in docs/performance.md.
 */
export default fp<{ config: Pick<Config, 'answerCacheBytes'> }>(
  async (app, { config: { answerCacheBytes } }) => {
    const { versions } = app.live
    const { metrics, replica } = app
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
      if (!answer || performance.now() > answer.expiresAt) return undefined
      return versions.isCurrent(answer.concerns, answer.version) ? answer : undefined
    }

    const start = (url: string, make: () => Promise<Answer>): Promise<Answer> => {
      const computation: Computation = { version: versions.head, answer: make(), next: null }
      computations.set(url, computation)
      const end = () => {
        if (computation.next === null) computations.delete(url)
      }
      computation.answer.then(end, end)
      return computation.answer
    }

    const compute = (url: string, concerns: readonly string[], make: () => Promise<Answer>): Promise<Answer> => {
      const computation = computations.get(url)
      if (!computation) return start(url, make)
      if (versions.isCurrent(concerns, computation.version)) return computation.answer
      const startNext = () => start(url, make)
      computation.next ??= computation.answer.then(startNext, startNext)
      return computation.next
    }

    /** Runs the handler, on the replica in one snapshot. `version`: all changes up to it are in the payload. */
    const read = async (request: FastifyRequest, handle: () => unknown): Promise<Versioned> => {
      if (replica?.status().state === 'ok') {
        const onReplica = async (trx: Db, version: number) => {
          request.db = trx
          return { payload: await handle(), version }
        }
        try {
          return await replica.readSnapshot(onReplica)
        } catch (error) {
          if (isAppError(error)) throw error
        }
      }
      // A read of the primary that starts now contains every change that this process knows.
      const version = versions.head
      request.db = app.databases.reads
      return { payload: await handle(), version }
    }

    const serve: onRequestHookHandler = (request, reply, done) => {
      const answer = isAnonymous(request) ? findCurrent(request.url) : undefined
      if (answer) lookups.hit++
      else lookups.miss++
      if (answer) sendAnswer(answer, request, reply)
      else done()
    }

    app.addHook('onRoute', (route) => {
      const concerns = route.config?.cache
      if (!concerns || route.method !== 'GET') return
      const { handler } = route
      const answer: RouteHandlerMethod = async function (request, reply) {
        if (!isAnonymous(request)) return handler.call(this, request, reply)
        const dependencies = listDependencies(concerns, request)
        const make = async (): Promise<Answer> => {
          const { payload, version } = await read(request, () => handler.call(this, request, reply))
          const bytes = Buffer.from(reply.serialize(payload) as string)
          const expiresAt = performance.now() + MAX_AGE_MS
          const answer = { bytes, tag: tagOf(bytes), encoded: new Map(), concerns: dependencies, version, expiresAt }
          answers.set(request.url, answer)
          return answer
        }
        return sendAnswer(await compute(request.url, dependencies, make), request, reply)
      }
      route.handler = answer
      // After the hooks of the application: quotas count every request.
      route.onRequest = [...[route.onRequest ?? []].flat(), serve]
    })
  },
  { name: 'answer-cache', dependencies: ['http', 'live-events', 'metrics', 'request-db'] },
)

/** An authenticated request reads current data, with personal fields. */
const isAnonymous = ({ headers }: FastifyRequest): boolean => headers.authorization === undefined

/** The compressed forms of JSON together are smaller than it. */
const measure = ({ bytes }: Answer): number => ENTRY_BYTES + 2 * bytes.length

/** A change of `token` is one of all tokens, so the answer depends on both. */
const listDependencies = (concerns: readonly Concern[], { params }: FastifyRequest): readonly string[] =>
  concerns.includes('token') ? [...concerns, concernOf((params as { address: string }).address)] : concerns

/** Sends an answer in an encoding that the client accepts, or 304 if the client has it. */
function sendAnswer(answer: Answer, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('etag', answer.tag)
  if (matchesTag(headers['if-none-match'], answer.tag)) return reply.code(304).send()
  return reply.header('content-type', 'application/json; charset=utf-8').send(encode(answer, headers, reply))
}

/** The body; sets Content-Encoding. */
function encode(answer: Answer, headers: FastifyRequest['headers'], reply: FastifyReply): Buffer {
  const accepted = headers['accept-encoding']
  if (accepted === undefined || answer.bytes.length < COMPRESS_FROM) return answer.bytes
  const encoding = chooseEncoding(accepted, ENCODINGS)
  if (encoding === null) return answer.bytes
  reply.header('content-encoding', encoding)
  return compress(answer, encoding)
}

function compress({ bytes, encoded }: Answer, encoding: Encoding): Buffer {
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
