/*
 * Deletes the embedded chain and the embedded database together, because the database is an index of that chain.
 */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigError, loadConfig } from '../config.ts'
import { lockFolder } from '../db/client.ts'

const HELP = `Usage: npm run reset

Deletes the embedded chain and the embedded database from DATA_DIR; the next start creates new ones. Uploads, and the databases
and nodes of DATABASE_URL and RPC_URL, are not changed. Fails while a process has the chain or the database open.

  DATA_DIR   the folder, ./data by default

Exit codes: 0 cleared, or nothing to clear; 2 the reset could not run.`

/** The folders of DATA_DIR that are deleted. */
const FOLDERS = ['chain', 'database']

try {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help) console.log(HELP)
  else await reset(loadConfig(process.env).dataDir)
} catch (error) {
  console.error(error instanceof ConfigError || error instanceof Error ? error.message : error)
  process.exitCode = 2
}

async function reset(dataDir: string): Promise<void> {
  const present: string[] = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const found = FOLDERS.filter((folder) => present.includes(folder))
  if (found.length === 0) return console.log(`There is no embedded chain or database in ${dataDir}.`)
  const releases: (() => Promise<void>)[] = []
  try {
    // Both are locked before either is deleted, so the reset is all or nothing.
    for (const folder of found) releases.push(await lockFolder(join(dataDir, folder), folder))
    for (const folder of found) await rm(join(dataDir, folder), { recursive: true, force: true })
  } finally {
    for (const release of releases) await release()
  }
  console.log(`Cleared ${found.map((folder) => `the ${folder}`).join(' and ')} in ${dataDir}.`)
}
