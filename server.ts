import { once } from 'node:events'
import { createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Config, ConfigError, loadConfig } from './config.ts'
import { environment } from './environment.ts'
import { createLogger } from './lib/telemetry/create-logger.ts'
import { buildMetricsServer } from './probes.ts'
import { openServices, type Services } from './services.ts'

/** How long requests in flight may take during shutdown. */
const DRAIN_MS = 10_000

if (process.argv.includes('--help') || process.argv.includes('-h')) printHelp()
else await main().catch(exitWithError)

async function main(): Promise<void> {
  // Linux ignores unhandled signals for PID 1, as in a container.
  if (process.pid === 1) process.once('SIGTERM', exitOnSigterm)
  const given = loadConfig(process.env)
  const log = createLogger(given)
  await checkPort(given)
  // The modules of the application are loaded while the services open.
  const [services, build] = await Promise.all([openServices(given, log), loadBuild(given)])
  const { config } = services
  let app: FastifyInstance | undefined
  try {
    app = await build(config, services)
    if (config.metricsPort !== null) await listenForMetrics(app, config.metricsPort, services)
    await app.listen({ port: config.port, host: config.host })
    // In production stdout is JSON lines alone.
    if (config.role !== 'indexer' && !config.production) printAddresses(app, config)
  } catch (error) {
    await services.close()
    throw error
  }
  stopOnSignal(app, services)
}

async function loadBuild({ role }: Config) {
  return role === 'indexer' ? (await import('./probes.ts')).buildProbes : (await import('./app.ts')).buildApp
}

/** Closes together with the app. */
async function listenForMetrics(app: FastifyInstance, port: number, services: Services): Promise<void> {
  const server = await buildMetricsServer(services)
  app.addHook('onClose', () => server.close())
  await server.listen({ port, host: services.config.host })
}

/** Rejects if the port is not available, before the services are opened. */
async function checkPort({ port, host }: Config): Promise<void> {
  const probe = createServer().listen({ port, host })
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}

function exitOnSigterm(): void {
  process.exit(143)
}

/** Stops accepting requests, waits for those in flight, then closes the services. A second signal exits at once. */
function stopOnSignal(app: FastifyInstance | undefined, services: Services): void {
  let stopping = false
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    services.log.info(`${signal}: stopping`)
    // Exits the process if closing hangs; unref'd, so that it never delays the exit.
    setTimeout(() => process.exit(1), DRAIN_MS).unref()
    // The services are closed even if the app fails to close.
    const closed = await app?.close().then(
      () => true,
      (error: unknown) => services.log.error({ err: error }, 'The server did not close'),
    )
    await services.close()
    process.exit(app && !closed ? 1 : 0)
  }
  process.off('SIGTERM', exitOnSigterm)
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function printAddresses(app: FastifyInstance, { brand }: Config): void {
  const address = app.server.address()
  if (address === null || typeof address === 'string') return
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  const url = `http://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${address.port}`
  console.log(`
${brand.name} is up.

${app.homePath === '/app' ? `  Web        ${url}/app\n` : ''}  API        ${url}   (and ${url}/api)
  Docs       ${url}/docs
  Health     ${url}/health

  curl ${url}/config
  curl '${url}/tokens?sort=trending&limit=5'
`)
}

/** Prints one actionable message; a stack trace only for unexpected errors. */
function exitWithError(error: unknown): never {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number }
  if (error instanceof ConfigError) console.error(message)
  else if (code === 'EADDRINUSE') console.error(`Port ${port} is taken. Stop what listens there, or set PORT.`)
  else if (code === 'EACCES' && port !== undefined) console.error(`Port ${port} may not be used. Set PORT above 1023.`)
  else if (code === 'EADDRNOTAVAIL') console.error('HOST is no address of this machine.')
  else if (error instanceof Error) console.error(describe(error))
  else console.error(error)
  process.exit(1)
}

function describe(error: Error): string {
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `Could not start. ${error.message}${cause}`
}

function printHelp(): void {
  const lines = Object.entries(environment).map(([name, schema]) => {
    const { description, accepts, secret } = schema as unknown as {
      description: string
      accepts: string
      secret?: boolean
    }
    const fallback = secret || schema.default === undefined || schema.default === '' ? '' : ` [${schema.default}]`
    return `  ${name.padEnd(26)} ${description}${fallback}\n${' '.repeat(29)}${accepts}`
  })
  console.log(`Usage: node server.ts\n\nEverything is configured by environment variables:\n\n${lines.join('\n')}`)
}
