import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { callNode } from './json-rpc.ts'

const STATE_FILE = 'state.gz'
const GENESIS_FILE = 'genesis.json'

export interface Genesis {
  hash: string
  /** Unix seconds. */
  time: number
  /** Names the code of the contracts on it; undefined where an earlier version made the chain. */
  contracts?: string
}

/** Writes the node's state to the folder. Atomic: a crash leaves the old file or the new one. */
export async function saveChain(url: string, folder: string): Promise<void> {
  const dump = await callNode<string>(url, 'anvil_dumpState')
  await replaceFile(join(folder, STATE_FILE), Buffer.from(dump.slice(2), 'hex'))
}

/** undefined if the folder holds no chain. */
export async function readSavedChain(folder: string): Promise<Buffer | undefined> {
  return readFile(join(folder, STATE_FILE)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

/** Loads a state of saveChain into a new node. @throws Error if it is invalid */
export async function restoreChain(url: string, state: Buffer): Promise<void> {
  await callNode(url, 'anvil_loadState', [`0x${state.toString('hex')}`])
}

/** Renames the state file, to keep it for inspection. @returns its new path */
export async function quarantineSavedChain(folder: string): Promise<string> {
  const path = join(folder, `${STATE_FILE}.unreadable`)
  await rename(join(folder, STATE_FILE), path)
  return path
}

/** Genesis blocks of all chains that the folder has held, newest last. */
export async function readGenesisBlocks(folder: string): Promise<Genesis[]> {
  const text = await readFile(join(folder, GENESIS_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]'
    throw error
  })
  return JSON.parse(text) as Genesis[]
}

export async function recordGenesis(folder: string, genesis: Genesis): Promise<void> {
  const known = await readGenesisBlocks(folder)
  if (known.at(-1)?.hash === genesis.hash) return
  await replaceFile(join(folder, GENESIS_FILE), `${JSON.stringify([...known, genesis], null, 2)}\n`)
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
