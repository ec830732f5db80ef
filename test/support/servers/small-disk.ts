import { execFileSync } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'

export interface SmallDisk {
  folder: string
  /** Leaves no byte free. */
  fill(): Promise<void>
  /** Undoes fill(). */
  free(): Promise<void>
}

/** A file system of its own of this many MB, gone when the test ends; undefined where mounting is not permitted. */
export async function mountSmallDisk(t: Pick<Test, 'teardown'>, megabytes: number): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp('/tmp/slipway-disk-')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    await remove()
    return undefined
  }
  t.teardown(async () => {
    execFileSync('umount', ['--lazy', folder])
    await remove()
  })
  const ballast = join(folder, 'ballast')
  const fill = async () => {
    const file = await open(ballast, 'a')
    for (const bytes of [1 << 20, 4096]) {
      const chunk = Buffer.alloc(bytes)
      while (await file.write(chunk).then(() => true, isFull)) {}
    }
    await file.close()
  }
  return { folder, fill, free: () => rm(ballast) }
}

function isFull(error: NodeJS.ErrnoException): false {
  if (error.code !== 'ENOSPC') throw error
  return false
}
