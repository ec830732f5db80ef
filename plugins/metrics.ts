import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createMetrics, DURATION_BUCKETS, type Metrics } from '../lib/telemetry/create-metrics.ts'
import { operationOf } from '../lib/telemetry/operation-of.ts'
import { watchProcess } from '../lib/telemetry/watch-process.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Where a plugin says what it measures. */
    metrics: Metrics
  }
  interface FastifyContextConfig {
    /** Answered whatever the load: what orchestrators and monitoring ask. */
    healthProbe?: true
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])

/** A socket is no request that ends: it is counted where sockets are. */
const isUpgrade = ({ headers }: FastifyRequest) => headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Metrics of requests and of the process, and `app.metrics` for everything else. Registered first, so that what a later
 * plugin refuses is counted too.
 */
export default fp<{ metrics?: Metrics | undefined }>(
  async (app, { metrics = createMetrics() }) => {
    app.decorate('metrics', metrics)
    const stopWatching = watchProcess(metrics)
    app.addHook('onClose', async () => stopWatching())

    const requests = metrics.counter('http_requests_total', 'Requests answered', ['operation', 'method', 'status'])
    const durations = metrics.histogram(
      'http_request_duration_seconds',
      'From the first byte in to the last byte out',
      {
        labels: ['operation'],
        buckets: DURATION_BUCKETS,
      },
    )
    let inFlight = 0
    metrics.gauge('http_requests_in_flight', 'Requests being answered', () => inFlight)

    app.addHook('onRequest', (request, _reply, done) => {
      if (!isUpgrade(request)) inFlight++
      done()
    })
    app.addHook('onResponse', (request, reply, done) => {
      if (isUpgrade(request)) return done()
      inFlight--
      const operation = operationOf(request)
      const method = METHODS.has(request.method) ? request.method : 'other'
      requests.inc({ operation, method, status: `${Math.floor(reply.statusCode / 100)}xx` })
      durations.observe({ operation }, reply.elapsedTime / 1000)
      done()
    })
  },
  { name: 'metrics' },
)
