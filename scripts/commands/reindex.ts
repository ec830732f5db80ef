import { loadConfig } from '../../config/config.ts'
import { openExisting } from '../../db/open-existing.ts'
import { type Lease, waitForLease } from '../../indexer/engine/lease.ts'
import { reindex } from '../../indexer/engine/reindex.ts'
import { modules } from '../../indexer/modules.ts'

const PROGRESS_MS = 1_000
const ACTIVE = 'An indexer is active. Stop every process with ROLE=all or ROLE=indexer, then run this again.'

const print = (_fields: object, message: string) => console.error(message)
const log = { info: print, warn: print }

export async function rebuildTables(): Promise<void> {
  const config = loadConfig(process.env)
  // No statement timeout: statements scale with the size of the database.
  const database = await openExisting({ ...config, database: { ...config.database, indexerStatementMs: 0 } })
  let lease: Lease | undefined
  try {
    lease = await waitForLease(database, log)
    if (!lease) throw new Error(ACTIVE)
    const started = Date.now()
    let printed = started
    const { block, logs } = await reindex(
      database.indexer,
      modules,
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
