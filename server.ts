import type { FastifyInstance } from 'fastify'
import { type Config, ConfigError, loadConfig } from './config/config.ts'
import { environment } from './config/environment.ts'
import { SetupError } from './errors.ts'
import { runCommand } from './lib/commands/run-command.ts'
import { describeListenError, findListenProblem, type Listener, listListeners } from './lib/http/listen-problem.ts'
import { createLogger } from './lib/telemetry/create-logger.ts'
import { buildMetricsServer } from './probes.ts'
import { openServices, type Services } from './services.ts'

/** How long requests in flight may take during shutdown. */
const DRAIN_MS = 10_000

async function main(): Promise<void> {
  // Linux ignores unhandled signals for PID 1, as in a container.
  if (process.pid === 1) process.once('SIGTERM', exitOnSigterm)
  const given = loadConfig(process.env)
  const log = createLogger(given)
  for (const { name, nearest } of given.misspelled)
    log.warn({ name, nearest }, 'A variable has no effect: the service has none of this name, but a similar one')
  await requireListeners(given)
  // The modules of the application are loaded while the services open.
  const [services, build] = await Promise.all([openServices(given, log), loadBuild(given)])
  const { config } = services
  let app: FastifyInstance | undefined
  try {
    app = await build(config, services)
    const metrics = config.metricsPort === null ? undefined : await openMetrics(app, services)
    for (const listener of listListeners(config))
      await listen(metrics && listener.variable === 'METRICS_PORT' ? metrics : app, listener)
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
async function openMetrics(app: FastifyInstance, services: Services): Promise<FastifyInstance> {
  const server = await buildMetricsServer(services)
  app.addHook('onClose', () => server.close())
  return server
}

/** Rejects if a port is not available, before the services are opened. */
async function requireListeners(config: Config): Promise<void> {
  for (const listener of listListeners(config)) {
    const problem = await findListenProblem(listener)
    if (problem) throw new SetupError(problem)
  }
}

async function listen(app: FastifyInstance, listener: Listener): Promise<void> {
  await app.listen({ port: listener.port, host: listener.host }).catch((error: unknown) => {
    throw new SetupError(describeListenError(error, listener), { cause: error })
  })
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
  if (error instanceof ConfigError) console.error(error.message)
  else if (error instanceof Error) console.error(describe(error))
  else console.error(error)
  process.exit(1)
}

/** A SetupError says everything itself. */
function describe(error: Error): string {
  const isComplete = error instanceof SetupError || !(error.cause instanceof Error)
  return `Could not start. ${error.message}${isComplete ? '' : `: ${(error.cause as Error).message}`}`
}

function describeVariables(): string {
  const lines = Object.entries(environment).map(([name, schema]) => {
    const { description, accepts, secret } = schema as unknown as {
      description: string
      accepts: string
      secret?: boolean
    }
    const fallback = secret || schema.default === undefined || schema.default === '' ? '' : ` [${schema.default}]`
    return `  ${name.padEnd(26)} ${description}${fallback}\n${' '.repeat(29)}${accepts}`
  })
  return `Environment:\n${lines.join('\n')}`
}

await runCommand({
  command: 'npm start',
  about: 'Runs the service. Everything is configured by environment variables.',
  notes: describeVariables(),
  exitCodes: '0 stopped by a signal, 1 it could not start or stop, 2 it takes no such option.',
  hint: 'Settings are environment variables, such as PORT: see',
  run: () => main().catch(exitWithError),
})
