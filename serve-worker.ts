// One of several processes of the service; run-workers.ts starts it.
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { loadConfig } from './config/config.ts'
import { createLogger } from './lib/telemetry/create-logger.ts'
import { joinPrimary } from './lib/workers/worker.ts'
import { describeAddresses, serve } from './serve.ts'
import { DRAIN_MS, exitWithError, LEAVE_MS } from './shutdown.ts'

const READY_MS = 60_000
const CHECK_MS = 100

async function main(): Promise<void> {
  // A terminal sends it to all processes; only the primary one acts on it.
  process.on('SIGHUP', () => {})
  const primary = joinPrimary()
  const config = loadConfig(process.env)
  const log = createLogger(config)
  const listens = config.role !== 'indexer'
  const running = await serve(config, log, { listens, shareMetrics: primary.shareMetrics })
  const stopped = new AbortController()
  let isClosing = false
  const close = async () => {
    if (isClosing) return
    isClosing = true
    // Exits the process if closing hangs; unref'd, so that it never delays the exit.
    setTimeout(() => process.exit(1), DRAIN_MS).unref()
    const isClosed = await running.close()
    await primary.leave()
    process.exit(isClosed ? 0 : 1)
  }
  // Repeated ones, as when a terminal and the primary process both send one, change nothing.
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      stopped.abort()
      void close()
    })
  await waitUntilReady(running.app)
  primary.reportReady(describeAddresses(running))
  await primary.retired
  log.info('Another worker has taken over: stopping')
  if (listens) await running.app.leaveClients({ atMostMs: LEAVE_MS, signal: stopped.signal })
  await close()
}

/** A worker that cannot serve takes the place of none that can. */
async function waitUntilReady(app: FastifyInstance): Promise<void> {
  const deadline = performance.now() + READY_MS
  for (;;) {
    const { statusCode, payload } = await app.inject('/ready')
    if (statusCode === 200) return
    if (performance.now() > deadline)
      throw new Error(`A worker did not become ready in ${READY_MS / 1000} s: ${payload}`)
    await pause(CHECK_MS)
  }
}

await main().catch(exitWithError)
