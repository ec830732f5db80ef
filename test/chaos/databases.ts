import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { findCitus } from '../deploy/citus/find-citus.ts'
import { joinNodes, startCitusNodes } from '../deploy/citus/start-nodes.ts'
import { runOn } from '../support/prepared-database.ts'
import { findPostgres, type Server, startReplicatedPostgres } from '../support/servers/replicated-postgres.ts'
import { mountSmallDisk, type SmallDisk } from '../support/servers/small-disk.ts'
import { type Link, startLink } from './link.ts'
import type { DatabaseServer } from './plan.ts'

const DATABASE = 'slipway_chaos'
const DISK_MB = 600
const SHARDS = '4'
const THIS_VERSION = fileURLToPath(new URL('../..', import.meta.url))
const POSTGRES_SETTINGS = 'max_connections=200\nshared_buffers=64MB\nwal_keep_size=2GB\nmax_wal_size=256MB\n'

export interface Member {
  server: Server
  /** The network before it. */
  link: Link
}

/** What the service has as its database. */
export interface Databases {
  members: ReadonlyMap<DatabaseServer, Member>
  /** The database, past the links. */
  url: string
  /** Variables of the service, and further ones of an API. */
  environment: { DATABASE_URL: string }
  apiEnvironment: { DATABASE_READ_URL?: string }
  /** Of the server that is written to; undefined where mounting is not permitted, and on Citus. */
  disk: SmallDisk | undefined
}

type Teardown = Pick<Test, 'teardown'>

async function link(t: Teardown, server: Server): Promise<Member> {
  return { server, link: await startLink(t, inService(server.url)) }
}

const inService = (url: string) => url.replace(/\/postgres$/, `/${DATABASE}`)

/** A primary, and a streaming replica for reads. */
export async function startPostgres(t: Teardown): Promise<Databases> {
  const bin = await findPostgres()
  if (bin === undefined) throw new Error('No PostgreSQL server is installed in /usr/lib/postgresql')
  const disk = await mountSmallDisk(t, DISK_MB)
  const options = { tables: disk?.folder, settings: POSTGRES_SETTINGS }
  const { primary, replica } = await startReplicatedPostgres(t, bin, options)
  await runOn(primary.url, `create database ${DATABASE}`)
  const [toPrimary, toReplica] = [await link(t, primary), await link(t, replica)]
  return {
    members: new Map([
      ['postgres', toPrimary],
      ['replica', toReplica],
    ]),
    url: inService(primary.url),
    environment: { DATABASE_URL: toPrimary.link.url },
    apiEnvironment: { DATABASE_READ_URL: toReplica.link.url },
    disk,
  }
}

/** A coordinator and two workers of Citus, which it reaches through links. `program`, a folder of the service, distributes the database. */
export async function startCitus(t: Teardown, program = THIS_VERSION): Promise<Databases> {
  const bin = await findCitus()
  if (bin === undefined)
    throw new Error(
      'No Citus: install the extension for /usr/lib/postgresql, or set CITUS_SOURCE to its unpacked source',
    )
  const { coordinator, workers } = await startCitusNodes(t, bin, 2)
  for (const { url } of [coordinator, ...workers]) await runOn(url, `create database ${DATABASE}`)
  const url = inService(coordinator.url)
  const toCoordinator = await link(t, coordinator)
  const toWorkers = await Promise.all(workers.map((worker) => link(t, worker)))
  await joinNodes(
    url,
    toWorkers.map((worker) => worker.link.url),
  )
  const options = { cwd: program, env: { ...process.env, DATABASE_URL: url } }
  await promisify(execFile)(process.execPath, ['scripts/distribute.ts', '--shards', SHARDS], options)
  return {
    members: new Map([
      ['postgres', toCoordinator],
      ...toWorkers.map((worker, index): [DatabaseServer, Member] => [`worker-${index + 1}` as DatabaseServer, worker]),
    ]),
    url,
    environment: { DATABASE_URL: toCoordinator.link.url },
    apiEnvironment: {},
    disk: undefined,
  }
}
