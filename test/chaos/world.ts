import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import S3rver from 's3rver'
import type { Test } from 'tap'
import { startChain, type TestChain } from '../support/chain-fixture.ts'
import { type HostileNode, startHostileNode } from '../support/hostile/node.ts'
import { runOn } from '../support/prepared-database.ts'
import { findPort } from '../support/servers/find-port.ts'
import { startRedis, type TestRedis } from '../support/servers/redis.ts'
import { findPostgres, type Server, startReplicatedPostgres } from '../support/servers/replicated-postgres.ts'
import { mountSmallDisk, type SmallDisk } from '../support/servers/small-disk.ts'
import { makeClockEnvironment } from './clock.ts'
import { type Link, startLink } from './link.ts'
import { type LinkName, NODES, type NodeName, PROCESSES, type ProcessName } from './plan.ts'
import { Supervised } from './supervised.ts'

const BUCKET = 'uploads'
const DATABASE = 'slipway_chaos'
const DISK_MB = 600
const POSTGRES_SETTINGS = 'max_connections=200\nshared_buffers=64MB\nwal_keep_size=2GB\nmax_wal_size=256MB\n'

/** Everything that a run starts. */
export interface World {
  chain: TestChain
  nodes: Record<NodeName, HostileNode>
  primary: Server
  replica: Server
  redis: TestRedis
  links: Record<LinkName, Link>
  /** Of the primary; undefined where mounting is not permitted. */
  disk: SmallDisk | undefined
  processes: Record<ProcessName, Supervised>
  /** What all processes of the service have in common. */
  environment: Record<string, string>
  /** The database of the service, and its replica, past the links. */
  databaseUrl: string
  replicaUrl: string
}

/** `folder` is for logs. `program`: the folder of the service; default: this one. */
export async function startWorld(t: Pick<Test, 'teardown'>, folder: string, program?: string): Promise<World> {
  const bin = await findPostgres()
  if (bin === undefined) throw new Error('No PostgreSQL server is installed in /usr/lib/postgresql')
  const disk = await mountSmallDisk(t, DISK_MB)
  const [redis, { primary, replica }, chain] = await Promise.all([
    startRedis(t),
    startReplicatedPostgres(t, bin, { tables: disk?.folder, settings: POSTGRES_SETTINGS }),
    // Old states in memory: see test/indexer/fixtures/random-test.ts.
    startChain(t, { env: { FINALITY: '10' }, accounts: 10, extraArgs: ['--prune-history', '20000'] }),
  ])
  if (!redis) throw new Error('redis-server is not installed')
  await runOn(primary.url, `create database ${DATABASE}`)
  const [databaseUrl, replicaUrl] = [primary, replica].map(({ url }) => url.replace(/\/postgres$/, `/${DATABASE}`)) as [
    string,
    string,
  ]
  const [toPrimary, toReplica, toRedis, toStorage] = (await Promise.all(
    [databaseUrl, replicaUrl, redis.url, await startStorage(t, folder)].map((url) => startLink(t, url)),
  )) as [Link, Link, Link, Link]
  const nodes = await Promise.all(NODES.map(() => startHostileNode(t, chain.anvil.url)))
  const environment = {
    ...chain.environment,
    POLL_INTERVAL_MS: '50',
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
    PUBLIC_URL: 'http://chaos.test',
    JWT_KEYS: `chaos:${randomBytes(32).toString('hex')}`,
    DATA_DIR: folder,
    DATABASE_URL: toPrimary.url,
    REDIS_URL: toRedis.url,
    ...{ S3_BUCKET: BUCKET, S3_ENDPOINT: new URL(toStorage.url).origin },
    ...{ S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' },
    RPC_URL: nodes.map(({ url }) => url).join(),
  }
  const processes = {} as Record<ProcessName, Supervised>
  for (const name of PROCESSES) {
    const own = { ...environment, ...makeClockEnvironment(join(folder, `${name}.clock`)) }
    const reads: Record<string, string> = name.startsWith('api') ? { DATABASE_READ_URL: toReplica.url } : {}
    const log = join(folder, `${name}.log`)
    const one = new Supervised({ name, port: await findPort(), environment: { ...own, ...reads }, log, program })
    processes[name] = one
    t.teardown(() => one.end())
    // The first of them migrates the database.
    await one.start()
  }
  return {
    ...{ chain, primary, replica, redis, disk, processes, environment, databaseUrl, replicaUrl },
    nodes: Object.fromEntries(NODES.map((name, index) => [name, nodes[index]])) as Record<NodeName, HostileNode>,
    links: { postgres: toPrimary, replica: toReplica, redis: toRedis, storage: toStorage },
  }
}

/** An object storage for uploads. Returns its URL. */
async function startStorage(t: Pick<Test, 'teardown'>, folder: string): Promise<string> {
  const directory = join(folder, 'storage')
  const place = { port: 0, address: '127.0.0.1', silent: true, directory }
  const storage = new S3rver({ ...place, configureBuckets: [{ name: BUCKET }] })
  const { port } = await storage.run()
  t.teardown(() => storage.close())
  return `http://127.0.0.1:${port}`
}

/** Runs with a connection to the database of the service that no fault meets. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}
