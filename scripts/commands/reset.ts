import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from '../../db/embedded/folder-lock.ts'

/** The folders of DATA_DIR that are deleted. */
const FOLDERS = ['chain', 'database']

/** Deletes the folders of the embedded chain and database together, because the database is an index of that chain. */
export async function reset(dataDir: string): Promise<void> {
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
