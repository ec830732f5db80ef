import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import S3rver from 's3rver'
import type { Test } from 'tap'
import { startChain, type TestChain } from '../support/chain-fixture.ts'
import { type HostileNode, startHostileNode } from '../support/hostile/node.ts'
import { findPort } from '../support/servers/find-port.ts'
import { startRedis, type TestRedis } from '../support/servers/redis.ts'
import { makeClockEnvironment } from './clock.ts'
import { type Databases, startCitus, startPostgres } from './databases.ts'
import { type Link, startLink } from './link.ts'
import { type DatabaseKind, type LinkName, NODES, type NodeName, PROCESSES, type ProcessName } from './plan.ts'
import { Supervised } from './supervised.ts'

const BUCKET = 'uploads'

/** Everything that a run starts. */
export interface World {
  chain: TestChain
  nodes: Record<NodeName, HostileNode>
  database: Databases
  redis: TestRedis
  links: ReadonlyMap<LinkName, Link>
  processes: Record<ProcessName, Supervised>
  /** What all processes of the service have in common. */
  environment: Record<string, string>
}

interface WorldOptions {
  /** For logs. */
  folder: string
  databaseKind: DatabaseKind
  /** The folder of the service; default: this one. */
  program?: string | undefined
}

export async function startWorld(
  t: Pick<Test, 'teardown'>,
  { folder, databaseKind, program }: WorldOptions,
): Promise<World> {
  const [redis, database, chain] = await Promise.all([
    startRedis(t),
    databaseKind === 'citus' ? startCitus(t, program) : startPostgres(t),
    // Old states in memory: see test/indexer/fixtures/random-test.ts.
    startChain(t, { env: { FINALITY: '10' }, accounts: 10, extraArgs: ['--prune-history', '20000'] }),
  ])
  if (!redis) throw new Error('redis-server is not installed')
  const toRedis = await startLink(t, redis.url)
  const toStorage = await startLink(t, await startStorage(t, folder))
  const nodes = await Promise.all(NODES.map(() => startHostileNode(t, chain.anvil.url)))
  const environment = {
    ...chain.environment,
    POLL_INTERVAL_MS: '50',
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
    PUBLIC_URL: 'http://chaos.test',
    JWT_KEYS: `chaos:${randomBytes(32).toString('hex')}`,
    DATA_DIR: folder,
    ...database.environment,
    REDIS_URL: toRedis.url,
    ...{ S3_BUCKET: BUCKET, S3_ENDPOINT: new URL(toStorage.url).origin },
    ...{ S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' },
    RPC_URL: nodes.map(({ url }) => url).join(),
  }
  const processes = {} as Record<ProcessName, Supervised>
  for (const name of PROCESSES) {
    const own = { ...environment, ...makeClockEnvironment(join(folder, `${name}.clock`)) }
    const reads = name.startsWith('api') ? database.apiEnvironment : {}
    const log = join(folder, `${name}.log`)
    const one = new Supervised({ name, port: await findPort(), environment: { ...own, ...reads }, log, program })
    processes[name] = one
    t.teardown(() => one.end())
    // The first of them migrates the database.
    await one.start()
  }
  return {
    ...{ chain, database, redis, processes, environment },
    nodes: Object.fromEntries(NODES.map((name, index) => [name, nodes[index]])) as Record<NodeName, HostileNode>,
    links: new Map<LinkName, Link>([
      ...[...database.members].map(([name, { link }]) => [name, link] as const),
      ['redis', toRedis],
      ['storage', toStorage],
    ]),
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
