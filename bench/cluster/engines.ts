import { UsageError } from '../../lib/commands/options.ts'
import { findCitus } from '../../test/deploy/citus/find-citus.ts'
import { joinNodes, startCitusNodes } from '../../test/deploy/citus/start-nodes.ts'
import { createScratchDatabase, runOn } from '../indexer/databases.ts'

/** An empty database that the benchmark measures. */
export interface Engine {
  name: string
  url: string
  /** Its processes, for the processor time. */
  words: string[]
  /** Lets the database be distributed; undefined on a single server. */
  join: (() => Promise<void>) | undefined
  close(): Promise<void>
}

const WORKERS = 2
/** As the server of --database-url may have: the tests' nodes have less. */
const SETTINGS = `shared_buffers = 512MB
maintenance_work_mem = 256MB
max_wal_size = 4GB
`

export async function openPostgres(serverUrl: string): Promise<Engine> {
  const name = `slipway_cluster_${process.pid}`
  const { url, drop } = await createScratchDatabase(serverUrl, name)
  return { name: 'PostgreSQL', url, words: [name], join: undefined, close: drop }
}

/** A coordinator and two workers on this machine, without fsync. */
export async function openCitus(): Promise<Engine> {
  const bin = await findCitus()
  if (bin === undefined) throw new UsageError('--citus needs the extension: set CITUS_INSTALLED or CITUS_SOURCE')
  const teardowns: (() => unknown)[] = []
  const close = async () => {
    for (const teardown of teardowns.splice(0)) await teardown()
  }
  try {
    const t = { teardown: (work: () => unknown) => void teardowns.unshift(work) } as Parameters<
      typeof startCitusNodes
    >[0]
    const { url, workers } = await startCitusNodes(t, bin, WORKERS, SETTINGS)
    const name = `slipway_cluster_${process.pid}`
    const servers = [url, ...workers.map((worker) => worker.url)]
    for (const server of servers) await runOn(server, `create database ${name}`)
    const [databaseUrl = '', ...nodes] = servers.map((server) => server.replace(/postgres$/, name))
    const join = () => joinNodes(databaseUrl, nodes)
    return { name: `Citus, ${1 + WORKERS} nodes`, url: databaseUrl, words: [name], join, close }
  } catch (error) {
    await close()
    throw error
  }
}
