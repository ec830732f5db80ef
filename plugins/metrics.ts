import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Counter, Histogram } from 'prom-client'
import { createMetrics, DURATION_BUCKETS, type Metrics } from '../lib/telemetry/create-metrics.ts'
import { operationOf } from '../lib/telemetry/operation-of.ts'
import { watchProcess } from '../lib/telemetry/watch-process.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The metrics registry of the process. */
    metrics: Metrics
  }
  interface FastifyContextConfig {
    /** For health probes and scrapes: never rejected under load, and logged at debug level. */
    healthProbe?: true
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])

/** An upgraded request lasts as long as its socket; plugins/sockets counts it. */
const isUpgrade = ({ headers }: FastifyRequest) => headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Decorates the app with `metrics` and adds hooks that measure requests. Register it first, so that rejections by later
 * plugins are counted too.
 */
export default fp<{ metrics?: Metrics | undefined }>(
  async (app, { metrics = createMetrics() }) => {
    app.decorate('metrics', metrics)
    const stopWatching = watchProcess(metrics)
    app.addHook('onClose', async () => stopWatching())

    const requests = metrics.counter('http_requests_total', 'Requests completed', ['operation', 'method', 'status'])
    const durations = metrics.histogram(
      'http_request_duration_seconds',
      'Duration from the first byte received to the last byte sent',
      {
        labels: ['operation'],
        buckets: DURATION_BUCKETS,
      },
    )
    /** The series of a request: looking them up by their labels takes longer than counting. */
    const found = new Map<string, { count: Counter.Internal; duration: Histogram.Internal<'operation'> }>()
    let inFlight = 0
    metrics.gauge('http_requests_in_flight', 'Requests in progress', () => inFlight)

    app.addHook('onRequest', (request, _reply, done) => {
      if (!isUpgrade(request)) inFlight++
      done()
    })
    app.addHook('onResponse', (request, reply, done) => {
      if (isUpgrade(request)) return done()
      inFlight--
      const operation = operationOf(request)
      const method = METHODS.has(request.method) ? request.method : 'other'
      const status = `${Math.floor(reply.statusCode / 100)}xx`
      const key = `${operation} ${method} ${status}`
      let series = found.get(key)
      if (!series) {
        series = { count: requests.labels({ operation, method, status }), duration: durations.labels({ operation }) }
        found.set(key, series)
      }
      series.count.inc()
      series.duration.observe(reply.elapsedTime / 1000)
      done()
    })
  },
  { name: 'metrics', dependencies: ['request-route'] },
)
