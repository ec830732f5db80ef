import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { SetupProblem } from '../../errors.ts'

/** How a pooler between this process and PostgreSQL treats sessions. */
export interface Pooling {
  /** Whether statements of one connection may run in several sessions: transaction or statement pooling. */
  sharesSessions: boolean
  /** Whether named prepared statements work. */
  prepares: boolean
}

export const UNPOOLED: Pooling = { sharesSessions: false, prepares: true }

const ROUNDS = 4
/** invalid_sql_statement_name, duplicate_prepared_statement */
const NOT_PREPARED = ['26000', '42P05']

/**
 * Finds a transaction pooler in front of the server of a pool with at least two connections. Sessions of their own never change their
 * backend. Shared ones do, or two connections get the same one: each asks twice in a row, which poolers answer by the session used
 * last, or by the next of several.
 */
export async function findPooling(pool: pg.Pool): Promise<Pooling> {
  const clients: pg.PoolClient[] = []
  try {
    for (let count = 0; count < 2; count++) clients.push(await pool.connect())
    const sharesSessions = await changeBackends(clients)
    return { sharesSessions, prepares: !sharesSessions || (await keepPrepared(clients)) }
  } finally {
    // Closed: a pooler may have left a statement in the session of a failed check.
    for (const client of clients) client.release(true)
  }
}

async function changeBackends(clients: readonly pg.PoolClient[]): Promise<boolean> {
  const owners = new Map<number, pg.PoolClient>()
  const backends = new Map<pg.PoolClient, number>()
  for (let round = 0; round < ROUNDS; round++)
    for (const client of clients)
      for (let time = 0; time < 2; time++) {
        const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
        const pid = rows[0]?.pid ?? 0
        if ((owners.get(pid) ?? client) !== client || (backends.get(client) ?? pid) !== pid) return true
        owners.set(pid, client)
        backends.set(client, pid)
      }
  return false
}

async function keepPrepared(clients: readonly pg.PoolClient[]): Promise<boolean> {
  const name = `slipway_probe_${randomBytes(6).toString('hex')}`
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const client of clients) await client.query({ name, text: 'select $1::int', values: [round] })
    return true
  } catch (error) {
    if (NOT_PREPARED.includes((error as { code?: string }).code ?? '')) return false
    throw error
  }
}

/** A lock of a session is not released by, and not exclusive to, a process that shares its session. */
export const describeSharedSessions = (variable: string): SetupProblem => ({
  variable,
  problem: `it leads through a pooler that shares sessions between transactions, behind which nothing can be migrated or indexed`,
  remedy:
    variable === 'DATABASE_DIRECT_URL'
      ? 'Set it to the URL of the PostgreSQL server itself'
      : 'Set DATABASE_DIRECT_URL to the URL of the PostgreSQL server itself, or use session pooling',
})

export const OTHER_DATABASE: SetupProblem = {
  variable: 'DATABASE_DIRECT_URL',
  problem: 'it names another database than DATABASE_URL',
  remedy: 'Name the same database in both, once through the pooler and once directly',
}

/** Whether both pools lead to one database of one server. */
export async function isSameDatabase(one: pg.Pool, other: pg.Pool): Promise<boolean> {
  const identify = async (pool: pg.Pool) => {
    const { rows } = await pool.query(
      'select oid, pg_postmaster_start_time()::text as started from pg_database where datname = current_database()',
    )
    return JSON.stringify(rows)
  }
  const [first, second] = await Promise.all([identify(one), identify(other)])
  return first === second
}
