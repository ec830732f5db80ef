import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Config } from './config/config.ts'
import apiDocs from './features/api-docs/index.ts'
import externalMarkets from './features/external-markets/index.ts'
import healthChecks from './features/health/index.ts'
import holdersAt from './features/holders-at/index.ts'
import images from './features/images/index.ts'
import cards from './features/link-previews/index.ts'
import liveEvents from './features/live/index.ts'
import sockets from './features/live/sockets/index.ts'
import rpcUpstreams from './features/rpc-proxy/index.ts'
import screener from './features/screener/index.ts'
import tokenMetadata from './features/token-metadata/index.ts'
import views from './features/views/index.ts'
import webClient from './features/web-client/index.ts'
import { sumTransfers } from './indexer/forensics/sum-transfers.ts'
import { namePlugins } from './lib/http/name-plugins.ts'
import { findDuplicateKey } from './lib/json/find-duplicate-key.ts'
import { createStorage } from './lib/storage/create-storage.ts'
import { createRequestLogger } from './lib/telemetry/request-logger.ts'
import { createValidation, describeDuplicateKey } from './lib/validation/validation.ts'
import auth from './plugins/auth.ts'
import cache from './plugins/cache.ts'
import checkHeaders from './plugins/check-headers.ts'
import connections from './plugins/connections.ts'
import drain from './plugins/drain.ts'
import errors, { handleClientError, sendError } from './plugins/errors.ts'
import heavyReads from './plugins/heavy-reads.ts'
import http from './plugins/http.ts'
import logRequests from './plugins/log-requests.ts'
import metrics from './plugins/metrics.ts'
import openapi, { SECOND_MOUNT } from './plugins/openapi.ts'
import overload from './plugins/overload.ts'
import rateLimits from './plugins/rate-limits.ts'
import requestDb from './plugins/request-db.ts'
import requestRoute from './plugins/request-route.ts'
import responseCache from './plugins/response-cache.ts'
import services from './plugins/services.ts'
import sharedResults from './plugins/shared-results.ts'
import storage from './plugins/storage.ts'
import tracing from './plugins/tracing.ts'
import routes, { domains, reasons } from './routes/index.ts'
import { ErrorEnvelope } from './schemas/common.ts'
import type { Services } from './services.ts'

/** Services that the application needs. Without metrics it creates its own; without a tracer it traces nothing. */
type AppServices = Pick<Services, 'db' | 'cache' | 'chain' | 'getContracts' | 'live' | 'log'> &
  Partial<Pick<Services, 'writes' | 'replica' | 'transactSync' | 'metrics' | 'tracing'>>

/** The largest JSON body. Uploads and the RPC proxy set their own limits. */
const BODY_LIMIT = 64 * 1024

/** Accepted values of the caller's x-request-id, which joins the logs of both sides. */
const REQUEST_ID = /^[\w.:-]{1,128}$/

/**
 * Registers plugins, then routes at both mounts. It never listens and never reads the environment. The caller opens and
 * closes the services.
 */
export async function buildApp(config: Config, given: AppServices): Promise<FastifyInstance> {
  const { db, writes = db, replica = null, cache: store, chain, getContracts, transactSync, live, log } = given
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    // plugins/log-requests logs one line for each request, without its query string.
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
    childLoggerFactory: createRequestLogger,
    requestIdHeader: false,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    },
    requestTimeout: config.connections.requestMs,
    // Longer than the 60 s idle timeout of load balancers, so that the client side always closes first.
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      // Long enough that an oversized parameter fails its schema, with a better message, before the router.
      maxParamLength: 1024,
    },
    http: {
      requireHostHeader: false,
      shouldUpgradeCallback: isSocketRequest,
      headersTimeout: config.connections.requestMs,
      connectionsCheckingInterval: config.connections.checkMs,
    },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: handleClientError,
    ...createValidation(),
  })

  namePlugins(app)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  addJsonParser(app)
  for (const schema of [ErrorEnvelope, ...domains.flatMap(({ schemas = [] }) => schemas)]) app.addSchema(schema)
  await app.register(requestRoute)
  // First, so that they count the rejections of later plugins.
  await app.register(metrics, { metrics: given.metrics })
  await app.register(connections, {
    limits: config.connections,
    trustProxy: config.trustProxy,
    metrics: app.metrics,
  })
  await app.register(tracing, { tracing: given.tracing ?? null })
  await app.register(logRequests)
  await app.register(drain)
  await app.register(http, { config })
  await app.register(sharedResults)
  await app.register(overload, { config })
  await app.register(services, {
    config,
    db,
    writes,
    replica,
    chain,
    getContracts,
    ...(transactSync && { transactSync }),
  })
  await app.register(requestDb)
  await app.register(cache, { cache: store })
  await app.register(healthChecks)
  await app.register(liveEvents, { live })
  await app.register(screener)
  await app.register(holdersAt, { sumTransfers })
  await app.register(externalMarkets, { config })
  await app.register(rpcUpstreams, { config, nodes: chain.nodes })
  await app.register(storage, { storage: createStorage(config) })
  await app.register(images, { config })
  await app.register(cards, { config })
  await app.register(tokenMetadata, { config })
  await app.register(auth, { config })
  // After CORS, so that browsers can read a 429; before errors, so that unknown routes are counted.
  await app.register(rateLimits, { config })
  await app.register(heavyReads, { config })
  await app.register(responseCache, { config })
  await app.register(sockets, { config })
  await app.register(views, { config })
  await app.register(errors)
  await app.register(checkHeaders)
  await app.register(webClient, { config })
  await app.register(openapi, {
    name: config.brand.name,
    version: config.version,
    tags: domains.flatMap(({ tags = [] }) => tags),
    reasons,
  })
  await app.register(apiDocs, { name: config.brand.name, mounts: ['', SECOND_MOUNT] })

  await app.register(routes, { prefix: '' })
  await app.register(routes, { prefix: SECOND_MOUNT })
  return app
}

/** Upgrades are accepted on /ws only. Other upgrade requests (such as h2c) are served as plain HTTP. */
const isSocketRequest = ({ method, url, headers }: IncomingMessage) =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && /^(\/api)?\/ws\/?(\?|$)/.test(url ?? '')

/**
 * Parses JSON only. An empty body counts as none, because many clients always send a content type. Duplicate keys are
 * rejected: parsers disagree on which one counts.
 */
function addJsonParser(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    parseJson(request, body, (error, value) => {
      const path = error ? null : findDuplicateKey(body)
      done(path ? describeDuplicateKey(path) : error, value)
    })
  })
}
