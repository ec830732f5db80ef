import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { Config } from '../../config/config.ts'
import { SetupError, type SetupProblem } from '../../errors.ts'
import { describeOutdated, MIGRATION_LOCK } from '../baselines.ts'
import { compareSchema, loadMigrations, migrateToLatest } from '../migrate.ts'
import type { Database } from '../schema.ts'
import { findConnectionProblem } from './connection-problem.ts'
import { describeSharedSessions, findPooling, isSameDatabase, OTHER_DATABASE, type Pooling } from './pooler.ts'
import { countConnections, createPool, DEFAULT_LIMITS, NO_LIMITS } from './pools.ts'
import { listServerProblems, readServerFacts, type ServerFacts } from './problems.ts'
import { sendOneByOne } from './single-statements.ts'
import { waitForServer } from './wait-for-server.ts'

type ServerConfig = { databaseUrl: string } & Partial<
  Pick<Config, 'databaseDirectUrl' | 'databaseReadUrl' | 'role' | 'redis' | 'database'>
>

/** Without limits: migrations may run long, and may wait for those of another process. Two connections, to find a pooler. */
const LIMITS = { ...NO_LIMITS, connections: 2 }

/** The server that is migrated: past a pooler if a URL of it is set. */
export const findDirectServer = ({ databaseUrl, databaseDirectUrl }: ServerConfig) =>
  databaseDirectUrl
    ? { variable: 'DATABASE_DIRECT_URL', url: databaseDirectUrl }
    : { variable: 'DATABASE_URL', url: databaseUrl }

/**
 * Waits until the server accepts connections, checks that the service can use it, and migrates it.
 *
 * @throws SetupError with the first problem
 */
export async function migrateServer(
  config: ServerConfig,
  onProgress: (line: string) => void = () => {},
): Promise<void> {
  const { variable, url } = findDirectServer(config)
  await withServer(variable, url, async (pool) => {
    await waitForServer(pool, onProgress)
    const { problems } = await inspectServer(pool, config)
    if (problems[0]) throw new SetupError(problems[0])
    if (config.databaseDirectUrl) await requireSameDatabase(config.databaseUrl, pool, onProgress)
    const stopWatching = watchLock(pool, onProgress)
    await migrateToLatest(connectForMigrations(pool), loadMigrations, onProgress).finally(stopWatching)
  })
}

const WATCH_MS = 2_000

/** Says once that the migrations wait for those of another process, which may take hours. Returns a function that stops watching. */
function watchLock(pool: pg.Pool, onProgress: (line: string) => void): () => Promise<void> {
  const stop = new AbortController()
  const watch = async () => {
    for (;;) {
      await sleep(WATCH_MS, undefined, { signal: stop.signal })
      const { rows } = await pool.query<{ pid: number }>(
        `select holder.pid from pg_locks waiter join pg_locks holder using (locktype, database, classid, objid, objsubid)
        where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
          and classid = $1 and objid = $2 and objsubid = 1 and not waiter.granted and holder.granted limit 1`,
        [(MIGRATION_LOCK >> 32n).toString(), (MIGRATION_LOCK & 0xff_ff_ff_ffn).toString()],
      )
      if (!rows[0] || stop.signal.aborted) continue
      return onProgress(
        `Another process migrates this database (backend ${rows[0].pid} of the server); waiting until it is done`,
      )
    }
  }
  // What fails here fails in the migrations as well.
  const watched = watch().catch(() => {})
  return () => {
    stop.abort()
    return watched
  }
}

interface Inspection {
  facts: ServerFacts
  /** Names of migrations. */
  schema: Awaited<ReturnType<typeof compareSchema>>
  problems: SetupProblem[]
}

/** Everything that keeps the service from using the server of a pool with two connections, which findDirectServer names. */
export async function inspectServer(pool: pg.Pool, config: ServerConfig): Promise<Inspection> {
  const { role = 'all', redis = null, databaseReadUrl = null, database = DEFAULT_LIMITS } = config
  const { variable } = findDirectServer(config)
  const facts = await readServerFacts(pool)
  // If it may not read tables, their owner is the problem.
  const schema = await compareSchema(connectForMigrations(pool)).catch((error: unknown) => {
    if (facts.foreignOwner === null) throw error
    return { unknown: [], pending: [], newest: 'none', replaced: 'none' as const }
  })
  const problems = listServerProblems(facts, {
    variable,
    isPending: schema.pending.length > 0,
    // A pooler may open fewer.
    connections: config.databaseDirectUrl ? null : countConnections({ role, redis, databaseReadUrl, database }).primary,
  })
  if (schema.replaced === 'some') problems.unshift({ variable, ...describeOutdated(schema.newest) })
  if ((await findPooling(pool)).sharesSessions) problems.unshift(describeSharedSessions(variable))
  return { facts, schema, problems }
}

/** How DATABASE_URL treats sessions, where DATABASE_DIRECT_URL is set as well. */
export async function findPoolingBefore(databaseUrl: string): Promise<Pooling> {
  return withServer('DATABASE_URL', databaseUrl, findPooling)
}

async function requireSameDatabase(
  databaseUrl: string,
  direct: pg.Pool,
  onProgress: (line: string) => void,
): Promise<void> {
  await withServer('DATABASE_URL', databaseUrl, async (pooled) => {
    await waitForServer(pooled, onProgress)
    if (!(await isSameDatabase(pooled, direct))) throw new SetupError(OTHER_DATABASE)
  })
}

/** For migrations. */
export const connectForMigrations = (pool: pg.Pool) =>
  new Kysely<Database>({ dialect: new PostgresDialect({ pool: sendOneByOne(pool) }) })

/** Errors of the connection name the variable and what to do. */
async function withServer<T>(variable: string, url: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = createPool(url, 'migrations', LIMITS)
  try {
    return await work(pool)
  } catch (error) {
    const problem = error instanceof SetupError ? null : findConnectionProblem(error, variable, url)
    throw problem ? new SetupError(problem, { cause: error }) : error
  } finally {
    await pool.end()
  }
}
