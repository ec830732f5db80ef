import { randomUUID } from 'node:crypto'
import { mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { SetupProblem } from '../../errors.ts'

/** For a file of a few kilobytes on a busy disk; a file system that is gone never answers. */
const DEADLINE_MS = 20_000
const PROBE = Buffer.alloc(4_096, '.')
/** EDQUOT: the quota of the user. */
const FULL = new Set(['ENOSPC', 'EDQUOT'])

/** Creates DATA_DIR if necessary and writes a file. Returns what prevents it; null if nothing does. */
export async function findFolderProblem(dataDir: string): Promise<SetupProblem | null> {
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`the file system does not respond within ${DEADLINE_MS / 1_000} s`)),
    DEADLINE_MS,
  )
  try {
    await Promise.race([writeProbe(resolve(dataDir)), deadline])
    return null
  } catch (error) {
    return describeFolderError(error, dataDir)
  } finally {
    clearTimeout(timer)
  }
}

/** What an error of writing below DATA_DIR means, and what to do. */
export function describeFolderError(error: unknown, dataDir: string): SetupProblem {
  const { code = '', message } = error as NodeJS.ErrnoException
  return FULL.has(code)
    ? {
        variable: 'DATA_DIR',
        problem: `the disk of ${resolve(dataDir)} is full`,
        remedy: 'Free some space there, or set DATA_DIR to another disk',
      }
    : {
        variable: 'DATA_DIR',
        problem: `${dataDir} is not writable: ${message}`,
        remedy: 'Create the folder for the user of the service, or set DATA_DIR to one that it may write',
      }
}

/** Bytes that are left to the user on the disk of DATA_DIR, which exists. */
export async function measureFreeBytes(dataDir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dataDir)
  return bavail * bsize
}

async function writeProbe(folder: string): Promise<void> {
  await makeFolder(folder)
  const probe = join(folder, `.probe-${randomUUID()}`)
  try {
    await writeFile(probe, PROBE)
  } finally {
    await rm(probe, { force: true })
  }
}

/** Unlike `mkdir` with `recursive`, which never returns where the system denies that a parent exists, as below /proc. */
async function makeFolder(folder: string): Promise<void> {
  const isThere = await make(folder).catch(async (error: NodeJS.ErrnoException) => {
    const parent = dirname(folder)
    if (error.code !== 'ENOENT' || parent === folder) throw error
    await makeFolder(parent)
    return make(folder)
  })
  if (!isThere) return
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`)
}

/** Whether it was there before. */
const make = (folder: string) =>
  mkdir(folder).then(
    () => false,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      return true
    },
  )
