import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { NoHostError } from './hosts.ts'

/** A recovery after a crash takes longer than this only where checkpoints are rare, a failover where Patroni's ttl is raised. */
const STARTING_MS = 60_000
/** A restart closes the port for a moment. A server that is not there at all is reported soon. */
const REFUSED_MS = 5_000
const RETRY_MS = 500

/** cannot_connect_now: the server starts, recovers or stops. */
const CANNOT_CONNECT_NOW = '57P03'

/**
 * Resolves when the server accepts connections. While it starts or recovers (also behind PgBouncer), or no host is the primary, connecting is
 * retried for a minute; where the port is closed, for five seconds. Then, and for any other failure, it rejects with the error.
 */
export async function waitForServer(pool: pg.Pool, onProgress: (line: string) => void): Promise<void> {
  const startedAt = performance.now()
  let limit = REFUSED_MS
  let printed = ''
  for (;;) {
    try {
      const client = await pool.connect()
      client.release()
      return
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const isStarting =
        code === CANNOT_CONNECT_NOW ||
        error instanceof NoHostError ||
        /cannot connect to server|server login/.test(message)
      if (isStarting) limit = STARTING_MS
      const isRefused = code === 'ECONNREFUSED' || code === 'ECONNRESET'
      if (!(isStarting || isRefused) || performance.now() - startedAt > limit) throw error
      const reason = message || code || ''
      if (reason !== printed) onProgress(`PostgreSQL is not ready (${reason}); waiting up to ${limit / 1_000} s`)
      printed = reason
      await sleep(RETRY_MS)
    }
  }
}
