import { Kysely, type KyselyConfig, type Transaction } from 'kysely'
import type pg from 'pg'
import { findOutboxState } from '../queries/outbox.ts'
import type { Database } from '../schema.ts'
import { isGone, ReplicaDialect } from './replica-dialect.ts'
import { PostgresServerDialect } from './server.ts'

export interface ReplicaStatus {
  /**
   * ok: reads go there. behind: it lags more than allowed. promoted: it is a primary now, or was always one. down: it does
   * not answer.
   */
  state: 'ok' | 'behind' | 'promoted' | 'down'
  /** Age of the oldest change that it has not shown yet; null while that is unknown. */
  lagSeconds: number | null
}

export interface ReadReplica {
  /** Reads from the replica while its state is ok, else from the primary; transactions and writes run on the primary. */
  db: Kysely<Database>
  pool: pg.Pool
  status(): ReplicaStatus
  /**
   * Runs reads in one snapshot of the replica, whatever server a load balancer chooses. `last` is the sequence number of
   * the last event that the snapshot contains. Nothing is repeated on the primary.
   */
  readSnapshot<T>(work: (trx: Transaction<Database>, last: number) => Promise<T>): Promise<T>
  /** Measures the lag now, as happens every second. */
  check(): Promise<void>
  close(): Promise<void>
}

const CHECK_MS = 1_000
/** Past this, the lag of a replica that has been down for long is less exact than a second. */
const MAX_MARKS = 600

interface ReplicaOptions {
  pool: pg.Pool
  primary: pg.Pool
  /** A replica that is later than this is not read. */
  maxLagMs: number
  log?: KyselyConfig['log']
}

/**
 * A streaming replica of the primary. Its lag is measured against the primary's own position: a replica whose stream is
 * cut falls behind, and a replica of an idle primary does not.
 */
export function openReadReplica({ pool, primary, maxLagMs, log }: ReplicaOptions): ReadReplica {
  let status: ReplicaStatus = { state: 'down', lagSeconds: null }
  /** Positions of the primary and when they were seen, the oldest first; all of them not replayed yet. */
  let marks: { at: number; position: bigint }[] = []
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const mark = async () => {
    const { rows } = await primary.query<{ position: string }>(
      `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as position`,
    )
    const position = BigInt(rows[0]?.position ?? 0)
    if (position !== marks.at(-1)?.position) marks.push({ at: Date.now(), position })
    if (marks.length > MAX_MARKS) marks.splice(1, 1)
  }
  const check = async (): Promise<void> => {
    try {
      // A primary that is down writes nothing: its replica is as good as it was.
      await mark().catch(() => {})
      const { rows } = await pool.query<{ position: string | null }>(
        `select case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text end as position`,
      )
      const position = rows[0]?.position
      // Not read, though its data may be the newest: those of a former primary are not.
      if (typeof position !== 'string') {
        status = { state: 'promoted', lagSeconds: null }
        return
      }
      marks = marks.filter((one) => one.position > BigInt(position))
      const lagMs = marks[0] ? Date.now() - marks[0].at : 0
      status = { state: lagMs > maxLagMs ? 'behind' : 'ok', lagSeconds: lagMs / 1000 }
    } catch {
      fail()
    }
  }
  const fail = () => {
    status = { state: 'down', lagSeconds: null }
  }
  const loop = () => {
    timer = setTimeout(() => void check().finally(() => closed || loop()), CHECK_MS)
    timer.unref()
  }
  void check().finally(() => closed || loop())

  const direct = new Kysely<Database>({ dialect: new PostgresServerDialect(pool), ...(log && { log }) })
  const dialect = new ReplicaDialect(primary, { pool, isUsable: () => status.state === 'ok', fail })
  return {
    db: new Kysely<Database>({ dialect, ...(log && { log }) }),
    pool,
    status: () => status,
    readSnapshot: (work) =>
      direct
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (trx) => work(trx, (await findOutboxState(trx))?.last ?? 0))
        .catch((error: unknown) => {
          if (isGone(error)) fail()
          throw error
        }),
    check,
    close: async () => {
      closed = true
      clearTimeout(timer)
      await pool.end()
    },
  }
}
