import { loadConfig } from '../../config/config.ts'
import { distribute } from '../../db/citus/distribute.ts'
import { openDatabase } from '../../db/client.ts'

export async function distributeDatabase({ shards }: { shards: number }): Promise<void> {
  const config = loadConfig(process.env)
  if (config.databaseUrl === null)
    throw new Error('DATABASE_URL is not set; expected the database on the coordinator of Citus')
  const print = (line: string) => console.log(line)
  const database = await openDatabase(config, undefined, print)
  try {
    const spread = await distribute(database.indexer, { shards, onProgress: print })
    print(spread.length === 0 ? 'All tables are distributed already.' : `Distributed ${spread.length} tables.`)
  } finally {
    await database.close()
  }
}
