import { mkdir, open, readFile, rm } from 'node:fs/promises'

/**
 * Creates the folder and a pid file beside it: PGlite does not detect a second process, which would corrupt the data.
 * `holding` names the content in the error. Returns the function that releases the lock.
 * @throws Error that names the other process
 */
export async function lockFolder(folder: string, holding = 'database'): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true })
  const path = `${folder}.lock`
  for (;;) {
    try {
      const file = await open(path, 'wx')
      await file.writeFile(String(process.pid))
      await file.close()
      return () => rm(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const owner = await findFolderOwner(folder)
    if (owner !== null) {
      throw new Error(
        `The ${holding} in ${folder} is in use by process ${owner}. Stop that one first, or set DATA_DIR to another folder.`,
      )
    }
    await rm(path, { force: true })
  }
}

/** The other process that runs and has locked a folder. */
export async function findFolderOwner(folder: string): Promise<number | null> {
  const owner = Number(await readFile(`${folder}.lock`, 'utf8').catch(() => ''))
  return owner !== process.pid && owner > 0 && isRunning(owner) ? owner : null
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
