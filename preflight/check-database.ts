import type pg from 'pg'
import type { Config } from '../config/config.ts'
import { splitHosts } from '../config/database-hosts.ts'
import { findConnectionProblem, placeOf } from '../db/postgres/connection-problem.ts'
import { listHosts } from '../db/postgres/hosts.ts'
import { findDirectServer, inspectServer } from '../db/postgres/migrate-server.ts'
import { findPooling, isSameDatabase, OTHER_DATABASE } from '../db/postgres/pooler.ts'
import { countConnections, createPool } from '../db/postgres/pools.ts'
import type { ServerFacts } from '../db/postgres/problems.ts'
import { connect } from './check-node.ts'
import { type Finding, fail, pass, reasonOf, toFinding, warn } from './finding.ts'

/** Two connections, to find a pooler. */
const LIMITS = { connections: 2, statementMs: 5_000, lockMs: 5_000, idleInTransactionMs: 5_000 }

type Settings = Pick<
  Config,
  | 'databaseUrl'
  | 'databaseDirectUrl'
  | 'databaseReadUrl'
  | 'database'
  | 'role'
  | 'workers'
  | 'redis'
  | 'rpcUrls'
  | 'chainId'
>

/** Checks PostgreSQL as the start does, its poolers and its replica. */
export async function checkDatabase(config: Settings): Promise<Finding[]> {
  const { databaseUrl, databaseDirectUrl, databaseReadUrl } = config
  if (databaseUrl === null) return [pass('DATABASE_URL', 'not set; the embedded database in DATA_DIR is used')]
  const { variable, url } = findDirectServer({ databaseUrl, databaseDirectUrl })
  const findings = [
    ...(await checkHosts(variable, url)),
    ...(await withPostgres(variable, url, (pool) => checkServer(pool, { ...config, databaseUrl }))),
  ]
  if (databaseDirectUrl !== null)
    findings.push(...(await withPostgres('DATABASE_URL', databaseUrl, (pool) => checkPooler(pool, databaseDirectUrl))))
  if (databaseReadUrl !== null)
    findings.push(...(await withPostgres('DATABASE_READ_URL', databaseReadUrl, (pool) => checkReplica(pool, config))))
  return findings
}

async function withPostgres(
  variable: string,
  url: string,
  check: (pool: pg.Pool) => Promise<Finding[]>,
): Promise<Finding[]> {
  const pool = createPool(url, 'preflight', LIMITS)
  try {
    await pool.query('select')
    return [pass(variable, `the database ${placeOf(url)} accepts connections`), ...(await check(pool))]
  } catch (error) {
    const remedy = 'Correct host, port, user, password and database name of the URL'
    const problem = `the database ${placeOf(url)} cannot be used: ${reasonOf(error)}`
    return [toFinding(findConnectionProblem(error, variable, url) ?? { variable, problem, remedy })]
  } finally {
    await pool.end()
  }
}

/** Which of several hosts is the primary, and whether the others could take over. */
async function checkHosts(variable: string, url: string): Promise<Finding[]> {
  const hosts = await listHosts(url)
  return hosts.map(({ host, state }) =>
    state === 'primary' || state === 'replica'
      ? pass(variable, `${host} is a ${state}`)
      : warn(variable, `${host} is unavailable: ${state}`, 'Start this server, or remove it from the URL'),
  )
}

/** Whether a failover to a replica would lose commits. */
function describeFailover(variable: string, url: string, { replicas, isSynchronous }: ServerFacts): Finding[] {
  if (isSynchronous) return [pass(variable, 'commits wait for a replica: a failover to it loses nothing')]
  const problem = 'commits wait for no replica: a failover loses the last ones'
  if (splitHosts(url).urls.length > 1)
    return [
      warn(variable, problem, 'With Patroni, set synchronous_mode: true; docs/operations.md says what may be lost'),
    ]
  return replicas > 0 ? [pass(variable, problem)] : []
}

async function checkServer(pool: pg.Pool, config: Settings & { databaseUrl: string }): Promise<Finding[]> {
  const { variable, url } = findDirectServer(config)
  const { facts, schema, problems } = await inspectServer(pool, config)
  if (problems.length > 0) return problems.map(toFinding)
  const findings = [
    pass(variable, `PostgreSQL ${facts.versionName}`),
    pass(variable, facts.trigrams === 'installed' ? 'pg_trgm is installed' : 'the first start installs pg_trgm'),
    pass(variable, `the role ${facts.role} may create and migrate the tables`),
    describeConnections(config, facts),
    checkTimeouts(variable, facts),
    ...describeFailover(variable, url, facts),
  ]
  if (schema.unknown.length > 0)
    findings.push(
      schema.pending.length > 0
        ? fail(variable, 'the schema is of another version', 'Use the version of the service that migrated it')
        : warn(
            variable,
            `the schema (${schema.newest}) is newer than this version`,
            'Use this version only to roll back the next one',
          ),
    )
  if (schema.pending.length === 0) findings.push(await checkChain(pool, config))
  return findings
}

/** How many processes with these settings the server has connections for. */
function describeConnections(config: Settings, { connections }: ServerFacts): Finding {
  const role = config.role === 'all' ? '' : ` with ROLE=${config.role}`
  if (config.workers > 1 && config.role !== 'indexer') return describeWorkers(config, connections)
  const { primary } = countConnections(config)
  const count = Math.floor(connections / primary)
  return pass(
    'DATABASE_URL',
    `this process opens up to ${primary} of the ${connections} connections of the server, which suffices for ${count} such ` +
      `${count === 1 ? 'process' : 'processes'}${role}`,
  )
}

/** A reload has one more process for a moment. */
function describeWorkers(config: Settings, connections: number): Finding {
  const { workers, role } = config
  const [api, indexer] = (['api', 'indexer'] as const).map((one) => countConnections({ ...config, role: one }).primary)
  const most = (workers + 1) * (api as number) + (role === 'all' ? (indexer as number) : 0)
  const text = `WORKERS=${workers} opens up to ${most} of the ${connections} connections of the server during a reload`
  if (most <= connections) return pass('DATABASE_URL', text)
  return warn('WORKERS', text, 'Set it lower, or raise max_connections of the server')
}

/** A pooler may ignore the timeouts that the service sends. */
function checkTimeouts(variable: string, { statementMs, role }: ServerFacts): Finding {
  if (statementMs === LIMITS.statementMs) return pass(variable, 'timeouts of sessions are accepted')
  return statementMs > 0
    ? pass(variable, `a pooler ignores the timeouts of sessions; those of the role ${role} apply (${statementMs} ms)`)
    : warn(
        variable,
        'a pooler ignores the timeouts of sessions',
        `Run: alter role ${role} set statement_timeout = '15s', and the same for lock_timeout (5s) and ` +
          'idle_in_transaction_session_timeout (10s)',
      )
}

/** The database of another chain is never continued. */
async function checkChain(pool: pg.Pool, { chainId, rpcUrls }: Settings): Promise<Finding> {
  const { rows } = await pool.query<{ id: number; genesis: string }>(
    'select chain_id as id, genesis_hash as genesis from chain_state',
  )
  const [state] = rows
  if (!state) return pass('DATABASE_URL', 'the database has no chain yet')
  const genesis = rpcUrls[0] === undefined ? undefined : await readGenesis(rpcUrls[0], chainId)
  if (state.id === chainId && (genesis ?? state.genesis) === state.genesis)
    return pass('DATABASE_URL', `the database holds chain ${chainId}`)
  return fail(
    'DATABASE_URL',
    `the database holds chain ${state.id} with genesis ${state.genesis}, not chain ${chainId}${genesis ? ` with genesis ${genesis}` : ''}`,
    'Name another database, or the chain of this one in RPC_URL and CHAIN_ID',
  )
}

/** Undefined if the node does not respond or is on another chain, which has its own finding. */
async function readGenesis(url: string, chainId: number): Promise<string | undefined> {
  const client = connect(url)
  try {
    if ((await client.getChainId()) !== chainId) return undefined
    return (await client.getBlock({ blockNumber: 0n })).hash
  } catch {
    return undefined
  }
}

async function checkPooler(pool: pg.Pool, directUrl: string): Promise<Finding[]> {
  const direct = createPool(directUrl, 'preflight', LIMITS)
  try {
    if (!(await isSameDatabase(pool, direct))) return [toFinding(OTHER_DATABASE)]
  } catch {
    // The direct connection has its own finding.
    return []
  } finally {
    await direct.end()
  }
  const { sharesSessions, prepares } = await findPooling(pool)
  if (!sharesSessions) return [pass('DATABASE_URL', 'each connection has a session of its own')]
  return [
    prepares
      ? pass('DATABASE_URL', 'a pooler shares sessions between transactions')
      : warn(
          'DATABASE_URL',
          'a pooler shares sessions between transactions, and has no prepared statements: reads take longer',
          'Use PgBouncer 1.21 or later with max_prepared_statements above 0',
        ),
  ]
}

async function checkReplica(pool: pg.Pool, config: Settings): Promise<Finding[]> {
  const { rows } = await pool.query<{ standby: boolean; connections: number }>(
    `select pg_is_in_recovery() as standby, current_setting('max_connections')::int as connections`,
  )
  const [{ standby, connections } = { standby: false, connections: 0 }] = rows
  if (!standby)
    return [
      fail('DATABASE_READ_URL', 'the server is no replica', 'Name a streaming replica of DATABASE_URL, or unset it'),
    ]
  const { replica } = countConnections(config)
  if (replica > connections)
    return [
      fail(
        'DATABASE_READ_URL',
        `this process opens up to ${replica} connections, but the replica allows ${connections}`,
        'Lower DATABASE_READ_CONNECTIONS, or raise max_connections of the replica',
      ),
    ]
  const { prepares } = await findPooling(pool)
  return prepares
    ? [pass('DATABASE_READ_URL', 'the server is a replica')]
    : [
        fail(
          'DATABASE_READ_URL',
          'a pooler shares sessions between transactions, and has no prepared statements',
          'Name the replica itself, or use PgBouncer 1.21 or later with max_prepared_statements above 0',
        ),
      ]
}
