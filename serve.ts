import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Config } from './config/config.ts'
import { SetupError } from './errors.ts'
import { describeListenError, type Listener, listListeners } from './lib/http/listen-problem.ts'
import type { Metrics } from './lib/telemetry/create-metrics.ts'
import { buildMetricsServer } from './probes.ts'
import { openServices, type Services } from './services.ts'
import { GRACE_MS } from './shutdown.ts'

/** The service in this process. */
export interface Running {
  app: FastifyInstance
  config: Config
  /** Stops accepting requests, waits for those in flight, then closes the services. Returns whether the app closed in order. */
  close(): Promise<boolean>
}

interface ServeOptions {
  /** Nothing asks a process that does not listen. */
  listens?: boolean
  /** Replaces the metrics of the process, such as by those of several. */
  shareMetrics?: (own: Metrics) => Metrics
}

/** Opens the services and serves what the role of the process says. */
export async function serve(
  given: Config,
  log: FastifyBaseLogger,
  { listens = true, shareMetrics = (own) => own }: ServeOptions = {},
): Promise<Running> {
  // The modules of the application are loaded while the services open.
  const [opened, build] = await Promise.all([openServices(given, log), loadBuild(given)])
  const services = { ...opened, metrics: shareMetrics(opened.metrics) }
  const { config } = services
  try {
    const app = await build(config, services)
    const metrics = config.metricsPort === null || !listens ? undefined : await openMetrics(app, services)
    if (!listens) await app.ready()
    for (const listener of listens ? listListeners(config) : [])
      await listen(metrics && listener.variable === 'METRICS_PORT' ? metrics : app, listener)
    return { app, config, close: () => close(app, services) }
  } catch (error) {
    await services.close()
    throw error
  }
}

async function loadBuild({ role }: Config) {
  return role === 'indexer' ? (await import('./probes.ts')).buildProbes : (await import('./app.ts')).buildApp
}

/** Closes together with the app. */
async function openMetrics(app: FastifyInstance, services: Services): Promise<FastifyInstance> {
  const server = await buildMetricsServer(services)
  app.addHook('onClose', () => server.close())
  return server
}

async function listen(app: FastifyInstance, listener: Listener): Promise<void> {
  await app.listen({ port: listener.port, host: listener.host }).catch((error: unknown) => {
    throw new SetupError(describeListenError(error, listener), { cause: error })
  })
}

/** The services are closed even if the app fails to close. */
async function close(app: FastifyInstance, services: Services): Promise<boolean> {
  // Closing an idle connection races with the next request on it, which its client has perhaps sent.
  if (app.hasDecorator('leaveClients') && app.server.listening) await app.leaveClients({ atMostMs: GRACE_MS })
  const isClosed = await app.close().then(
    () => true,
    (error: unknown) => {
      services.log.error({ err: error }, 'The server did not close')
      return false
    },
  )
  await services.close()
  return isClosed
}

/** For the terminal; null where nobody reads it: in production stdout is JSON lines alone. */
export function describeAddresses({ app, config: { brand, production, role } }: Running): string | null {
  if (production || role === 'indexer') return null
  const address = app.server.address()
  if (address === null || typeof address === 'string') return null
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  const url = `http://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${address.port}`
  return `
${brand.name} is up.

${app.homePath === '/app' ? `  Web        ${url}/app\n` : ''}  API        ${url}   (and ${url}/api)
  Docs       ${url}/docs
  Health     ${url}/health

  curl ${url}/config
  curl '${url}/tokens?sort=trending&limit=5'
`
}
