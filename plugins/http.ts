import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../config/config.ts'
import { AppError, REASON_HEADER } from '../errors.ts'
import { addVary, ENCODED, matchesTag, tagEncoded, tagOf } from '../lib/http/caching-headers.ts'
import { type Cors, createCors } from '../lib/http/cors.ts'
import { createSecurityHeaders } from '../lib/http/security-headers.ts'
import { QUOTA_HEADERS } from '../lib/rate-limit/headers.ts'
import { isHttp1 } from './check-headers.ts'

/** Bytes. Smaller bodies fit one packet, so compression gains nothing. */
export const COMPRESS_FROM = 1400

declare module 'fastify' {
  interface FastifyInstance {
    /** For responses that are written without Fastify's reply; the others get their headers in an onSend hook. */
    cors: Cors
  }
}

/** Request headers that pages of other origins may send. */
const ALLOWED_HEADERS = ['authorization', 'content-type', 'if-none-match', 'x-request-id']
/** Response headers that they may read. */
const EXPOSED_HEADERS = ['date', 'etag', 'retry-after', 'x-request-id', REASON_HEADER, ...QUOTA_HEADERS]
const PREFLIGHT_SECONDS = 86_400

/**
 * Adds an onRequest hook that requires HTTP/1 and Host and answers CORS preflights, an onSend hook that sets X-Request-Id, CORS and
 * security headers and ETags, and compression.
 */
export default fp<{ config: Pick<Config, 'corsOrigins' | 'production'> }>(
  async (app, { config }) => {
    const cors = createCors(config.corsOrigins, EXPOSED_HEADERS)
    app.decorate('cors', cors)
    const methods = new Set<string>()
    app.addHook('onRoute', (route) => {
      for (const method of [route.method].flat()) if (method !== 'OPTIONS') methods.add(method)
    })
    app.addHook('onRequest', (request, reply, done) => {
      if (!isHttp1(request.raw) || isHostMissing(request)) return done(new AppError('MALFORMED_REQUEST'))
      if (request.method !== 'OPTIONS') return done()
      // Here, before quotas and tokens: a browser sends preflights without a page's headers.
      reply.code(204).headers({
        'access-control-allow-methods': [...methods].join(', '),
        'access-control-allow-headers': ALLOWED_HEADERS.join(', '),
        'access-control-max-age': PREFLIGHT_SECONDS,
        'content-length': 0,
      })
      reply.send()
    })
    // So that a preflight of any path has a route: the hook above answers it.
    app.options('*', { schema: { hide: true } }, (_request, reply) => reply.send())

    const addSecurityHeaders = createSecurityHeaders(config)
    app.addHook('onSend', (request, reply, payload, done) => {
      reply.header('x-request-id', request.id)
      const corsHeaders = cors.headersFor(request.headers.origin)
      for (let at = 0; at < corsHeaders.length; at += 2) reply.header(corsHeaders[at]!, corsHeaders[at + 1])
      if (cors.varies) addVary(reply, 'origin')
      addSecurityHeaders(reply)
      done(null, tagPayload(request, reply, payload))
    })
    await app.register(compress, {
      globalDecompression: false,
      threshold: COMPRESS_FROM,
      encodings: ['br', 'gzip'],
      // Brotli's default quality (11) costs more time than the network saves.
      brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    })
    // Registered after compression, so that it runs last.
    app.addHook('onRoute', (route) => {
      route.onSend = [...[route.onSend ?? []].flat(), markEncoding]
    })
  },
  { name: 'http' },
)

/** Replaces Node's own check, which responds with an empty body. */
const isHostMissing = ({ raw }: FastifyRequest): boolean => raw.httpVersion === '1.1' && raw.headers.host === undefined

/**
 * Adds ETag and Cache-Control (revalidate always) to successful reads, and responds 304 when If-None-Match matches.
 * Headers that the route has set are kept.
 */
function tagPayload(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    return payload
  }
  if (reply.statusCode !== 200 && reply.statusCode !== 304) return payload
  if (!reply.hasHeader('cache-control')) {
    reply.header('cache-control', request.headers.authorization ? 'private, no-cache' : 'public, no-cache')
  }
  addVary(reply, 'accept-encoding')
  if (reply.statusCode === 304) return payload
  if (!reply.hasHeader('etag')) {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    reply.header('etag', tagOf(payload))
  }
  if (!matchesTag(request.headers['if-none-match'], String(reply.getHeader('etag')))) return payload
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  // Later hooks measure the payload of a HEAD response, so it cannot be null.
  return request.method === 'HEAD' ? '' : null
}

/** A strong ETag differs by encoding. Must run after all hooks that change the body. */
const markEncoding: onSendHookHandler = (_request, reply, payload, done) => {
  const encoding = reply.getHeader('content-encoding')
  const tag = reply.getHeader('etag')
  if ((encoding === 'br' || encoding === 'gzip') && typeof tag === 'string' && !ENCODED.test(tag)) {
    reply.header('etag', tagEncoded(tag, encoding))
  }
  // A 304 must not carry the length of an empty body.
  if (reply.statusCode === 304 && reply.hasHeader('content-length')) reply.removeHeader('content-length')
  done(null, payload)
}
