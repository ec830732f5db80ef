/*
 * Rebuilds every derived table from the stored logs. See indexer/engine/reindex.ts.
 */
import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { openExisting } from '../db/open-existing.ts'
import { type Lease, tryLease } from '../indexer/engine/lease.ts'
import { reindex } from '../indexer/engine/reindex.ts'

const HELP = `Usage: npm run reindex

Rebuilds all chain-derived tables (trades, candles, balances, figures) from the logs in the database, without a node. Profiles,
metadata, claims and decisions of operators are kept. It is one transaction: readers see the old tables until the new ones are
complete, and an interruption changes nothing. It takes the lease of the indexers: it fails while an indexer is active, and no
indexer becomes active meanwhile. Receipt syncs get 503 until it is done.

Environment, as for the service:
  DATABASE_URL   PostgreSQL; unset: the embedded database in DATA_DIR (stop the service first)

Exit codes: 0 rebuilt, 2 the rebuild could not run.`

const PROGRESS_MS = 1_000
const ACTIVE = 'An indexer is active. Stop every process with ROLE=all or ROLE=indexer, then run this again.'

const print = (_fields: object, message: string) => console.error(message)
const log = { info: print, warn: print }

await main().catch(fail)

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help) return console.log(HELP)
  const config = loadConfig(process.env)
  // No statement timeout: statements scale with the size of the database.
  const database = await openExisting({ ...config, database: { ...config.database, indexerStatementMs: 0 } })
  let lease: Lease | undefined
  try {
    lease = await tryLease(database, log)
    if (!lease) throw new Error(ACTIVE)
    const started = Date.now()
    let printed = started
    const { block, logs } = await reindex(
      database.indexer,
      (progress) => {
        if (Date.now() - printed < PROGRESS_MS) return
        printed = Date.now()
        const percent = Math.floor((progress.logs / Math.max(progress.totalLogs, 1)) * 100)
        console.log(`Block ${progress.block}: ${progress.logs} of ${progress.totalLogs} logs (${percent} %)`)
      },
      lease.fence,
    )
    const seconds = ((Date.now() - started) / 1_000).toFixed(1)
    console.log(
      logs === 0
        ? 'The database has no logs; there is nothing to rebuild.'
        : `Rebuilt from ${logs} logs up to block ${block} in ${seconds} s.`,
    )
  } finally {
    await lease?.release()
    await database.close()
  }
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
