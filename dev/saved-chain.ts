import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { callNode } from './json-rpc.ts'

const STATE_FILE = 'state.gz'
const GENESIS_FILE = 'genesis.json'

export interface Genesis {
  hash: string
  /** Unix seconds. */
  time: number
}

/** Writes the node's whole state into the folder. A crash at any moment leaves the former file or the new one. */
export async function saveChain(url: string, folder: string): Promise<void> {
  const dump = await callNode<string>(url, 'anvil_dumpState')
  await replaceFile(join(folder, STATE_FILE), Buffer.from(dump.slice(2), 'hex'))
}

/** undefined when no chain is kept in the folder. */
export async function readSavedChain(folder: string): Promise<Buffer | undefined> {
  return readFile(join(folder, STATE_FILE)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

/** Gives a fresh node the state that saveChain has written. @throws Error if it is not one */
export async function restoreChain(url: string, state: Buffer): Promise<void> {
  await callNode(url, 'anvil_loadState', [`0x${state.toString('hex')}`])
}

/** Out of the way, but not lost. @returns where it is now */
export async function quarantineSavedChain(folder: string): Promise<string> {
  const aside = join(folder, `${STATE_FILE}.unreadable`)
  await rename(join(folder, STATE_FILE), aside)
  return aside
}

/** The first block of every chain that has been kept in the folder, the newest chain last. */
export async function readGenesisBlocks(folder: string): Promise<Genesis[]> {
  const text = await readFile(join(folder, GENESIS_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]'
    throw error
  })
  return JSON.parse(text) as Genesis[]
}

export async function recordGenesis(folder: string, { hash, time }: Genesis): Promise<void> {
  const known = await readGenesisBlocks(folder)
  if (known.at(-1)?.hash === hash) return
  await replaceFile(join(folder, GENESIS_FILE), `${JSON.stringify([...known, { hash, time }], null, 2)}\n`)
}

async function replaceFile(path: string, content: Buffer | string): Promise<void> {
  const file = await open(`${path}.new`, 'w')
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}
