import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createMetrics, DURATION_BUCKETS, type Metrics } from '../lib/telemetry/create-metrics.ts'
import { Distribution } from '../lib/telemetry/distribution.ts'
import { keepByRoute } from '../lib/telemetry/keep-by-route.ts'
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

/** What has been counted of the requests of one route. */
interface RequestCounts {
  operation: string
  method: string
  /** Counts by the first digit of the status. */
  byClass: number[]
  /** Durations on all routes of the operation. */
  duration: Distribution
}

const toSamples = ({ operation, method, byClass }: RequestCounts) =>
  byClass.flatMap((value, digit) =>
    value === 0 ? [] : [{ labels: { operation, method, status: `${digit}xx` }, value }],
  )

/** An upgraded request lasts as long as its socket; plugins/sockets counts it. */
const isUpgrade = ({ raw }: FastifyRequest) => (raw as IncomingMessage & { upgrade?: boolean }).upgrade === true

/**
 * Decorates the app with `metrics` and adds hooks that measure requests. Register it first, so that rejections by later
 * plugins are counted too.
 */
export default fp<{ metrics?: Metrics | undefined }>(
  async (app, { metrics = createMetrics() }) => {
    app.decorate('metrics', metrics)
    const stopWatching = watchProcess(metrics)
    app.addHook('onClose', async () => stopWatching())

    const durations = new Map<string, Distribution>()
    const requests: RequestCounts[] = []
    const countsOf = keepByRoute((request): RequestCounts => {
      const operation = operationOf(request)
      const duration = durations.get(operation) ?? new Distribution(DURATION_BUCKETS)
      durations.set(operation, duration)
      const method = METHODS.has(request.method) ? request.method : 'other'
      const counts = { operation, method, byClass: [0, 0, 0, 0, 0, 0], duration }
      requests.push(counts)
      return counts
    })
    let inFlight = 0
    metrics.totalsByLabels('http_requests_total', 'Requests completed', ['operation', 'method', 'status'], () =>
      requests.flatMap(toSamples),
    )
    metrics.distributions(
      'http_request_duration_seconds',
      'Duration from the first byte received to the last byte sent',
      'operation',
      () => durations,
    )
    metrics.gauge('http_requests_in_flight', 'Requests in progress', () => inFlight)

    app.addHook('onRequest', (request, _reply, done) => {
      if (!isUpgrade(request)) inFlight++
      done()
    })
    app.addHook('onResponse', (request, reply, done) => {
      if (isUpgrade(request)) return done()
      inFlight--
      const { byClass, duration } = countsOf(request)
      byClass[Math.floor(reply.statusCode / 100)]! += 1
      duration.add(reply.elapsedTime / 1000)
      done()
    })
  },
  { name: 'metrics', dependencies: ['request-route'] },
)
