import { type Config, loadConfig } from './config/config.ts'
import { environment } from './config/environment.ts'
import { SetupError } from './errors.ts'
import { runCommand } from './lib/commands/run-command.ts'
import { findListenProblem, listListeners } from './lib/http/listen-problem.ts'
import { createLogger } from './lib/telemetry/create-logger.ts'
import type { Running } from './serve.ts'
import { DRAIN_MS, exitWithError } from './shutdown.ts'

async function main(): Promise<void> {
  // Linux ignores unhandled signals for PID 1, as in a container.
  if (process.pid === 1) process.once('SIGTERM', exitOnSigterm)
  const given = loadConfig(process.env)
  const log = createLogger(given)
  for (const { name, nearest } of given.misspelled)
    log.warn({ name, nearest }, 'A variable has no effect: the service has none of this name, but a similar one')
  await requireListeners(given)
  if (given.workers > 1 && given.role !== 'indexer') {
    process.off('SIGTERM', exitOnSigterm)
    const { runWorkers } = await import('./run-workers.ts')
    return runWorkers(given, log)
  }
  // The first of several processes needs none of it.
  const { describeAddresses, serve } = await import('./serve.ts')
  const running = await serve(given, log)
  // Before the addresses: a supervisor that reads them may stop the service at once.
  stopOnSignal(running, log)
  const addresses = describeAddresses(running)
  if (addresses !== null) console.log(addresses)
}

/** Rejects if a port is not available, before the services are opened. */
async function requireListeners(config: Config): Promise<void> {
  for (const listener of listListeners(config)) {
    const problem = await findListenProblem(listener)
    if (problem) throw new SetupError(problem)
  }
}

function exitOnSigterm(): void {
  process.exit(143)
}

/** A second signal exits at once. */
function stopOnSignal(running: Running, log: { info(message: string): void }): void {
  let stopping = false
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info(`${signal}: stopping`)
    // Exits the process if closing hangs; unref'd, so that it never delays the exit.
    setTimeout(() => process.exit(1), DRAIN_MS).unref()
    process.exit((await running.close()) ? 0 : 1)
  }
  process.off('SIGTERM', exitOnSigterm)
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function describeVariables(): string {
  const width = Math.max(...Object.keys(environment).map((name) => name.length)) + 3
  const lines = Object.entries(environment).map(([name, schema]) => {
    const { description, accepts, secret } = schema as unknown as {
      description: string
      accepts: string
      secret?: boolean
    }
    const fallback = secret || schema.default === undefined || schema.default === '' ? '' : ` [${schema.default}]`
    return `  ${name.padEnd(width)}${description}${fallback}\n${' '.repeat(width + 2)}${accepts}`
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
