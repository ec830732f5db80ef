import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Address, Hex } from 'viem'
import type { CreationRecords, Journal } from './create-contracts.ts'
import { OptionError } from './options.ts'

/** What identifies a deployment: a state file of another one must not be continued. */
export interface DeploymentIdentity {
  chainId: number
  genesisHash: Hex
  deployer: Address
  /** The existing contracts, which are arguments of those that are created. */
  existing: Readonly<Record<string, string | null>>
}

const State = Type.Object({
  version: Type.Literal(1),
  chainId: Type.Integer(),
  genesisHash: Type.String(),
  deployer: Type.String(),
  existing: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])),
  contracts: Type.Record(
    Type.String(),
    Type.Object({
      nonce: Type.Integer({ minimum: 0 }),
      address: Type.String({ pattern: '^0x[0-9a-f]{40}$' }),
      sentAfter: Type.Integer({ minimum: 0 }),
      txHash: Type.Optional(Type.String({ pattern: '^0x[0-9a-f]{64}$' })),
      block: Type.Optional(Type.Integer({ minimum: 0 })),
      data: Type.String({ pattern: '^0x[0-9a-f]*$' }),
    }),
  ),
})

/** Reads the state file, or starts a new one. Throws if it is of another deployment. */
export async function openState(path: string, identity: DeploymentIdentity): Promise<Journal> {
  const records = await readRecords(path, identity)
  return {
    records,
    save: () => writeDurably(path, `${JSON.stringify({ version: 1, ...identity, contracts: records }, null, 2)}\n`),
  }
}

async function readRecords(path: string, identity: DeploymentIdentity): Promise<CreationRecords> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return {}
  const state = parseJson(text)
  if (!Value.Check(State, state))
    throw new OptionError(`${path} is no state file of a deployment; move it away, or give --folder`)
  for (const field of ['chainId', 'genesisHash', 'deployer'] as const)
    if (state[field] !== identity[field])
      throw new OptionError(
        `${path} is of a deployment with ${field} ${state[field]}, not ${identity[field]}. ` +
          'Move it away to start again, or name another folder with --folder.',
      )
  // A chosen contract may be created meanwhile, but an existing one must stay the same.
  for (const [name, address] of Object.entries(identity.existing))
    if (state.existing[name] !== address)
      throw new OptionError(
        `${path} was started with ${name} ${state.existing[name] ?? '(created)'}, not ${address ?? '(created)'}. ` +
          'Give the same options to continue, or move the file away to start again.',
      )
  return state.contracts as CreationRecords
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Replaces a file atomically, and waits until it is on the disk. */
export async function writeDurably(path: string, text: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.draft`
  const file = await open(draft, 'w', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}
