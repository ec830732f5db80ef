import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { Storage } from './storage.ts'

/** Sharded by the first byte of the hash, to keep directories small. */
const shard = (name: string) => join(name.slice(0, 2), name)

/** Stores files in a folder, for one machine or a shared file system. place: the path of a file in it, by its name. */
export function createFolderStorage(folder: string, place = shard): Storage {
  const pathOf = (name: string) => join(folder, place(name))

  return {
    put: (name, bytes) =>
      guard(async () => {
        await mkdir(dirname(pathOf(name)), { recursive: true })
        // Write to a temporary file and rename it: a crash must not leave a partial file under the final name.
        const draft = `${pathOf(name)}.${randomUUID()}`
        try {
          await writeFile(draft, bytes, { flush: true })
          await rename(draft, pathOf(name))
        } catch (error) {
          await rm(draft, { force: true })
          throw error
        }
      }),
    measure: (name) => guard(async () => orNull(stat(pathOf(name)).then(({ size }) => size))),
    open: (name, range) =>
      guard(async () => {
        const file = await orNull(open(pathOf(name)))
        if (!file) return null
        try {
          const { size } = await file.stat()
          return { size, body: file.createReadStream({ autoClose: true, ...range }) }
        } catch (error) {
          await file.close()
          throw error
        }
      }),
    close: async () => {},
  }
}

/** Maps a missing file (ENOENT) to null; rethrows other errors. */
async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function guard<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const isFull = ['ENOSPC', 'EDQUOT'].includes((cause as NodeJS.ErrnoException).code ?? '')
    throw new AppError(isFull ? 'STORAGE_FULL' : 'STORAGE_UNAVAILABLE', {}, { cause, retryAfter: 1 })
  }
}
