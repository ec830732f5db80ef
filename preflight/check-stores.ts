import { randomUUID } from 'node:crypto'
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { createClient } from 'redis'
import type { Config } from '../config.ts'
import { createStorage } from '../lib/storage/create-storage.ts'
import { type Finding, fail, pass, reasonOf, warn } from './finding.ts'

const TIMEOUT_MS = 5_000
const MIN_POSTGRES = 150_000
const MIN_REDIS_MAJOR = 7
/** A day of uploads of a small service. */
const MIN_FREE_BYTES = 1_073_741_824

/** "host:port/name" of a URL, without user and password. */
const placeOf = (url: string): string => {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

export async function checkDatabase({ databaseUrl, databaseReadUrl }: Pick<Config, 'databaseUrl' | 'databaseReadUrl'>) {
  if (databaseUrl === null) return [pass('DATABASE_URL', 'not set; the embedded database in DATA_DIR is used')]
  const findings = await withPostgres('DATABASE_URL', databaseUrl, async (client) => [
    await checkVersion(client),
    await checkExtension(client),
    await checkRights(client),
  ])
  if (databaseReadUrl !== null)
    findings.push(...(await withPostgres('DATABASE_READ_URL', databaseReadUrl, checkReplica)))
  return findings
}

async function withPostgres(
  name: string,
  url: string,
  check: (client: pg.Client) => Promise<Finding[]>,
): Promise<Finding[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    statement_timeout: TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return [pass(name, `the database ${placeOf(url)} accepts connections`), ...(await check(client))]
  } catch (error) {
    const remedy = 'Start PostgreSQL, or correct host, port, user, password and database name of the URL'
    return [fail(name, `the database ${placeOf(url)} cannot be used: ${reasonOf(error)}`, remedy)]
  } finally {
    await client.end().catch(() => {})
  }
}

async function checkVersion(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ number: string; name: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as name`,
  )
  const [{ number, name } = { number: '0', name: 'unknown' }] = rows
  return Number(number) >= MIN_POSTGRES
    ? pass('DATABASE_URL', `PostgreSQL ${name}`)
    : fail('DATABASE_URL', `the server is PostgreSQL ${name}`, 'Use PostgreSQL 15 or later')
}

async function checkExtension(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ installed: boolean }>(
    `select installed_version is not null as installed from pg_available_extensions where name = 'pg_trgm'`,
  )
  const [found] = rows
  if (!found)
    return fail(
      'DATABASE_URL',
      'the extension pg_trgm is not available',
      'Install the contrib package of PostgreSQL (postgresql-contrib)',
    )
  return pass(
    'DATABASE_URL',
    found.installed ? 'pg_trgm is installed' : 'pg_trgm is available; the first start installs it',
  )
}

/** The first start creates the schema, later ones migrate it. */
async function checkRights(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ role: string; allowed: boolean; standby: boolean }>(
    `select current_user as role, has_schema_privilege(current_schema(), 'create') as allowed, pg_is_in_recovery() as standby`,
  )
  const [{ role, allowed, standby } = { role: '', allowed: false, standby: false }] = rows
  if (standby)
    return fail(
      'DATABASE_URL',
      'the server is a read-only replica',
      'Name the primary here, the replica in DATABASE_READ_URL',
    )
  return allowed
    ? pass('DATABASE_URL', `the role ${role} may create tables`)
    : fail('DATABASE_URL', `the role ${role} may not create tables`, `Run: grant create on schema public to ${role}`)
}

async function checkReplica(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
  return [
    rows[0]?.standby
      ? pass('DATABASE_READ_URL', 'the server is a replica')
      : fail('DATABASE_READ_URL', 'the server is no replica', 'Name a streaming replica of DATABASE_URL, or unset it'),
  ]
}

export async function checkRedis({ redisUrl, role }: Pick<Config, 'redisUrl' | 'role'>): Promise<Finding[]> {
  if (redisUrl === null)
    return [pass('REDIS_URL', role === 'all' ? 'not set; caches and quotas are in this process' : 'not set')]
  const client = createClient({ url: redisUrl, socket: { connectTimeout: TIMEOUT_MS, reconnectStrategy: false } })
  client.on('error', () => {})
  try {
    await client.connect()
    const info = parseInfo(String(await client.info()))
    return [
      pass('REDIS_URL', `the Redis at ${placeOf(redisUrl)} accepts connections`),
      checkRedisVersion(info),
      checkEviction(info),
    ]
  } catch (error) {
    const remedy = 'Start Redis, or correct host, port and password of the URL'
    return [fail('REDIS_URL', `the Redis at ${placeOf(redisUrl)} cannot be used: ${reasonOf(error)}`, remedy)]
  } finally {
    client.destroy()
  }
}

const parseInfo = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]))

function checkRedisVersion(info: Map<string, string>): Finding {
  const version = info.get('redis_version') ?? 'unknown'
  return Number.parseInt(version, 10) >= MIN_REDIS_MAJOR
    ? pass('REDIS_URL', `Redis ${version}`)
    : warn('REDIS_URL', `the server is Redis ${version}`, `Use Redis ${MIN_REDIS_MAJOR} or later`)
}

/** Without a limit nothing is evicted. With one, only keys with an expiry may go: all keys of the service have one. */
function checkEviction(info: Map<string, string>): Finding {
  const [policy = 'unknown', limit = '0'] = [info.get('maxmemory_policy'), info.get('maxmemory')]
  if (limit === '0')
    return warn('REDIS_URL', 'maxmemory is not set', 'Set maxmemory, and maxmemory-policy volatile-lru')
  if (policy === 'volatile-lru' || policy === 'volatile-ttl' || policy === 'volatile-lfu')
    return pass('REDIS_URL', `maxmemory-policy is ${policy}`)
  return warn(
    'REDIS_URL',
    `maxmemory-policy is ${policy}: a full Redis rejects writes or drops nonces`,
    'Set maxmemory-policy volatile-lru',
  )
}

export async function checkStorage(config: Pick<Config, 's3' | 'dataDir' | 'role'>): Promise<Finding[]> {
  const findings = [await checkFolder(config.dataDir)]
  if (config.s3 !== null) findings.push(await checkBucket(config))
  return findings
}

async function checkFolder(dataDir: string): Promise<Finding> {
  const probe = join(dataDir, `.preflight-${randomUUID()}`)
  try {
    await mkdir(dataDir, { recursive: true })
    await writeFile(probe, '')
    await rm(probe)
    const { bavail, bsize } = await statfs(dataDir)
    return bavail * bsize >= MIN_FREE_BYTES
      ? pass('DATA_DIR', `${dataDir} is writable`)
      : warn(
          'DATA_DIR',
          `${dataDir} has less than 1 GiB of free space`,
          'Free some space, or set DATA_DIR to another disk',
        )
  } catch (error) {
    const remedy = 'Create the folder for the user of the service, or set DATA_DIR to one that it may write'
    return fail('DATA_DIR', `${dataDir} is not writable: ${reasonOf(error)}`, remedy)
  }
}

async function checkBucket(config: Pick<Config, 's3' | 'dataDir'>): Promise<Finding> {
  const storage = createStorage(config)
  const bucket = config.s3?.bucket
  const name = `${'0'.repeat(64)}.json`
  try {
    await storage.put(name, Buffer.from('{}'), 'application/json')
    if ((await storage.measure(name)) === null) throw new Error('what was written is not there')
    return pass('S3_BUCKET', `the bucket ${bucket} accepts uploads`)
  } catch (error) {
    const remedy = 'Check S3_BUCKET, S3_ENDPOINT, S3_REGION, and the rights of S3_ACCESS_KEY_ID to put and get objects'
    return fail('S3_BUCKET', `the bucket ${bucket} cannot be used: ${reasonOf(error)}`, remedy)
  } finally {
    await storage.close()
  }
}
