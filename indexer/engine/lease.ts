import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import type pg from 'pg'
import type { OpenDatabase } from '../../db/client.ts'
import { PROCESS_NAME } from '../../db/process-name.ts'
import type { Database } from '../../db/schema.ts'
import { LeaseLostError } from './errors.ts'

/** A lease expires this long after its last heartbeat. */
const LEASE_MS = 10_000
const HEARTBEAT_MS = 2_000
/**
 * A receipt sync takes milliseconds and times out on locks after seconds: an older transaction belongs to a stopped
 * process.
 */
const STUCK_SYNC_SECONDS = 30

interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

export interface Lease {
  /** Incremented for each holder (a fencing token). */
  readonly token: number
  /** False once the lease was taken over, or was not renewed in time. */
  isHeld(): boolean
  /** Locks the lease for a transaction. Rejects with LeaseLostError if another process has taken it over. */
  fence(trx: Transaction<Database>): Promise<void>
  release(): Promise<void>
}

/**
 * Acquires the indexer lease if it is free, and renews it until it is released. Resolves to undefined while another
 * process holds it.
 *
 * Invariants: all times are the database's. A holder writes only while the row has its token; a takeover changes the
 * token after waiting for transactions that have locked it. So two holders never write at the same time. A failover may lose a
 * takeover, after which its token is given out again: the row has to name the holder as well.
 */
export async function tryLease(
  { lease: pool, kind }: Pick<OpenDatabase, 'lease' | 'kind'>,
  log: Logger,
): Promise<Lease | undefined> {
  const token = await acquire(pool, kind, log)
  return token === undefined ? undefined : hold(pool, kind, token, log)
}

const POLL_MS = 500

/**
 * Like tryLease, but waits for a lease without a heartbeat to expire: that of a process which was killed, or which a restored
 * dump contains. Resolves to undefined as soon as the holder has sent a heartbeat.
 */
export async function waitForLease(
  database: Pick<OpenDatabase, 'lease' | 'kind'>,
  log: Logger,
): Promise<Lease | undefined> {
  const readHeartbeat = async () => {
    const { rows } = await database.lease.query<{ holder: string | null; beat: string | null }>(
      'select holder, heartbeat_at::text as beat from indexer_lease',
    )
    return rows[0]
  }
  const first = await readHeartbeat()
  const started = performance.now()
  for (let isLogged = false; ; isLogged = true) {
    const lease = await tryLease(database, log)
    if (lease) return lease
    const { beat } = (await readHeartbeat()) ?? {}
    // A transaction of the holder may lock the lease for longer than it lasts.
    if (beat !== first?.beat || performance.now() - started > 2 * LEASE_MS) return undefined
    if (!isLogged)
      log.info(
        { holder: first?.holder },
        `Waiting until the lease of ${first?.holder} expires, at most ${LEASE_MS / 1_000} s after its last heartbeat`,
      )
    await sleep(POLL_MS)
  }
}

/**
 * A PGlite folder belongs to one process, by its pid file. In PostgreSQL the lease is free when it has expired or its
 * session has ended.
 */
const isFree = (kind: OpenDatabase['kind']) =>
  kind === 'pglite'
    ? 'true'
    : '(expires_at <= clock_timestamp() or not exists (select from pg_stat_activity where pid = backend_pid))'

async function acquire(pool: pg.Pool, kind: OpenDatabase['kind'], log: Logger): Promise<number | undefined> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    // Conflicts with heartbeats, but waits for no transaction of the holder.
    const found = await client.query<{ holder: string | null }>(
      `select holder from indexer_lease where ${isFree(kind)} for no key update skip locked`,
    )
    const [free] = found.rows
    if (free) {
      const former = free.holder === PROCESS_NAME ? null : free.holder
      if (former !== null && kind === 'postgres') await endSessions(client, former, log)
      const { rows } = await client.query<{ token: number }>(
        `update indexer_lease set token = token + 1, holder = $1, backend_pid = pg_backend_pid(),
          heartbeat_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => $2) returning token`,
        [PROCESS_NAME, LEASE_MS / 1_000],
      )
      await client.query('commit')
      client.release()
      if (former !== null) log.warn({ former }, 'The active indexer sent no heartbeat; this process has taken over')
      return rows[0]?.token
    }
    await client.query('rollback')
    client.release()
    return undefined
  } catch (error) {
    client.release(true)
    if (!isTimeout(error)) throw error
    log.warn(
      { err: error },
      'The lease of the indexer has expired, but a transaction of its former holder goes on. PostgreSQL ends that session ' +
        'by idle_in_transaction_session_timeout; to take over at once, end it with pg_terminate_backend',
    )
    return undefined
  }
}

/** Ends the sessions of the former holder: a stopped process keeps its transaction and locks. */
async function endSessions(client: pg.PoolClient, holder: string, log: Logger): Promise<void> {
  await client.query('savepoint ending')
  try {
    const { rows } = await client.query<{ pid: number }>(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and split_part(application_name, ' ', 2) in ('indexer', 'lease') and split_part(application_name, ' ', 3) = $1`,
      [holder],
    )
    if (rows.length > 0)
      log.warn({ holder, sessions: rows.length }, 'Ended the database sessions of the former indexer')
  } catch (error) {
    await client.query('rollback to savepoint ending')
    log.warn({ err: error, holder }, 'The database sessions of the former indexer could not be ended')
  }
}

/** lock_timeout or statement_timeout. */
const isTimeout = (error: unknown) => ['55P03', '57014'].includes((error as { code?: string }).code ?? '')

function hold(pool: pg.Pool, kind: OpenDatabase['kind'], token: number, log: Logger): Lease {
  let renewedAt = performance.now()
  let isLost = false
  let timer: NodeJS.Timeout | undefined
  let renewing: Promise<void> = Promise.resolve()

  const renew = async () => {
    const asked = performance.now()
    const { rowCount } = await pool.query(
      `update indexer_lease set heartbeat_at = clock_timestamp(), backend_pid = pg_backend_pid(),
        expires_at = clock_timestamp() + make_interval(secs => $2) where token = $1 and holder = $3`,
      [token, LEASE_MS / 1_000, PROCESS_NAME],
    )
    if (rowCount === 0) isLost = true
    else renewedAt = asked
    if (kind === 'postgres') await endStuckSyncs(pool, log)
  }
  const beat = () => {
    timer = setTimeout(() => {
      renewing = renew()
        .catch((error: unknown) => log.warn({ err: error }, 'The lease of the indexer was not renewed; retrying'))
        .finally(() => {
          if (!isLost) beat()
        })
    }, HEARTBEAT_MS)
  }
  beat()

  return {
    token,
    isHeld: () => !isLost && performance.now() - renewedAt < LEASE_MS,
    fence: async (trx) => {
      const { rows } = await sql`
        select from indexer_lease where token = ${token} and holder = ${PROCESS_NAME} for key share`.execute(trx)
      if (rows.length > 0) return
      isLost = true
      throw new LeaseLostError('Another process has taken over the indexing')
    },
    release: async () => {
      isLost = true
      clearTimeout(timer)
      await renewing
      const free = `update indexer_lease set holder = null, backend_pid = null, expires_at = clock_timestamp()
        where token = $1 and holder = $2`
      // If the database is unreachable, the lease expires.
      await pool.query(free, [token, PROCESS_NAME]).catch(() => {})
    },
  }
}

/**
 * Ends receipt syncs of stopped processes, which would hold the apply lock. idle_in_transaction_session_timeout ends
 * most; a session inside a message (COPY, or a response that is not read) has to be terminated.
 */
export async function endStuckSyncs(pool: pg.Pool, log: Logger, seconds = STUCK_SYNC_SECONDS): Promise<void> {
  const { rows } = await pool.query<{ application_name: string }>(
    `select application_name, pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and split_part(application_name, ' ', 2) = 'syncs'
      and xact_start < clock_timestamp() - make_interval(secs => $1)`,
    [seconds],
  )
  for (const { application_name: session } of rows)
    log.warn({ session }, 'Ended a receipt sync that held its locks for too long')
}
