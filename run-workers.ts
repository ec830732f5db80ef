import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config/config.ts'
import { type Place, Primary } from './lib/workers/primary.ts'
import { DRAIN_MS, LEAVE_MS } from './shutdown.ts'

/**
 * Runs the service in several processes: WORKERS of the API on one port, and for ROLE=all one more that indexes. This process opens
 * nothing itself. SIGHUP replaces the workers one by one; a second SIGTERM or SIGINT exits at once.
 */
export async function runWorkers({ workers, role }: Config, log: FastifyBaseLogger): Promise<void> {
  const api = Array.from({ length: workers }, (_, at) => ({
    name: `api ${at + 1}`,
    env: { ROLE: 'api' },
    serves: true,
  }))
  const indexer: Place = { name: 'indexer', env: { ROLE: 'indexer' }, serves: false }
  const primary = new Primary({
    exec: fileURLToPath(new URL('serve-worker.ts', import.meta.url)),
    // First one that serves requests: it finds out what is wrong with the settings of all.
    places: role === 'all' ? [...api, indexer] : api,
    log,
    stopMs: DRAIN_MS,
    retireMs: LEAVE_MS,
  })
  const started = Promise.withResolvers<void>()
  let isStopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) {
      primary.kill()
      process.exit(1)
    }
    isStopping = true
    log.info(`${signal}: stopping`)
    void primary.stop()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // Workers that are still starting have the newest program and environment.
  process.on('SIGHUP', () => void started.promise.then(() => primary.reload()))
  const first = await primary.start()
  if (first) {
    if (first.greeting !== null) console.log(first.greeting)
    started.resolve()
    process.exit(await primary.ended)
  }
  // It has printed why, unless a signal has ended it.
  process.exit(isStopping ? await primary.ended : 1)
}
