import pg from 'pg'
import { createScratchDatabase } from '../indexer/databases.ts'
import { type Server, startService } from './processes.ts'
import { type Sample, takeSample } from './sample.ts'
import { seed } from './seed.ts'

/** A service on a database with the given number of tokens, and the paths to request. */
export interface Market extends Server {
  /** Port of a second service, which keeps no answers. */
  uncachedPort: number
  sample: Sample
  /** Processes of each service. */
  workers: number
  close(): Promise<void>
}

interface Place {
  serverUrl: string
  redisUrl: string | undefined
  /** Reuses the database of an earlier run, and keeps it. */
  keep: boolean
  /** Processes of each service. */
  workers: number
}

export async function openMarket({ serverUrl, redisUrl, keep, workers }: Place, tokens: number): Promise<Market> {
  const database = await openScratchMarket(serverUrl, keep, tokens)
  try {
    const sample = await takeSample(database.url, tokens)
    const start = (more: Record<string, string>) =>
      startService(database.url, redisUrl, undefined, { WORKERS: String(workers), ...more })
    const service = await start({})
    const uncached = await start({ ANSWER_CACHE_MB: '0' })
    const close = async () => {
      service.child.kill()
      uncached.child.kill()
      await database.drop()
    }
    return { ...service, uncachedPort: uncached.port, sample, workers, close }
  } catch (error) {
    await database.drop()
    throw error
  }
}

/** A database with the given number of tokens. */
export async function openScratchMarket(serverUrl: string, keep: boolean, tokens: number) {
  const name = `slipway_reads_${keep ? 'kept' : process.pid}_${tokens}`
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const drop = async () => {}
  if (keep && (await exists(serverUrl, name))) return { url: url.href, drop }
  const database = await createScratchDatabase(serverUrl, name)
  try {
    const start = performance.now()
    await seed(database.url, tokens)
    const seconds = Math.round((performance.now() - start) / 1000)
    console.log(`Filled a database with ${tokens.toLocaleString('en')} tokens in ${seconds} s`)
    return keep ? { url: database.url, drop } : database
  } catch (error) {
    await database.drop()
    throw error
  }
}

async function exists(connectionString: string, name: string): Promise<boolean> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    return rowCount === 1
  } finally {
    await client.end()
  }
}
