import type { Hex } from '../values.ts'
import { decodeValues } from './abi-codec.ts'
import { contractErrors } from './contracts.ts'
import { revertMessages, textMessages } from './revert-messages.ts'

/** Why a contract reverted. */
export interface Revert {
  /** Name of the custom error; `Error` for a text, `Panic` for a failed assertion. */
  name: string
  /** Arguments by name. */
  args: Readonly<Record<string, bigint | string | boolean>>
  /** A sentence for users. */
  message: string
}

/** Solidity's own errors. */
const TEXT_SELECTOR = '0x08c379a0'
const PANIC_SELECTOR = '0x4e487b71'

/**
 * Decodes why a contract reverted, from the revert data or from any error that carries them: of viem, of a wallet, or of the
 * node. Undefined if there are none, or if they are of an unknown contract.
 */
export function describeRevert(error: unknown): Revert | undefined {
  for (const data of findRevertData(error)) {
    const revert = decodeRevert(data)
    if (revert) return revert
  }
  return undefined
}

function decodeRevert(data: Hex): Revert | undefined {
  const selector = data.slice(0, 10)
  const body = data.slice(10)
  if (selector === TEXT_SELECTOR) {
    const [reason] = decodeValues(['string'], body) ?? []
    if (typeof reason !== 'string') return undefined
    return { name: 'Error', args: { reason }, message: textMessages[reason] ?? `The contract rejected it: ${reason}` }
  }
  if (selector === PANIC_SELECTOR) {
    const [code] = decodeValues(['uint256'], body) ?? []
    if (code === undefined) return undefined
    return { name: 'Panic', args: { code }, message: 'The contract failed an internal check.' }
  }
  if (!Object.hasOwn(contractErrors, selector)) return undefined
  const [name, ...parameters] = contractErrors[selector as keyof typeof contractErrors]
  const pairs = parameters.map((parameter) => parameter.split(' ') as [name: string, type: string])
  const values = decodeValues(
    pairs.map(([, type]) => type),
    body,
  )
  if (!values) return undefined
  const args = Object.fromEntries(pairs.map(([name], index) => [name, values[index] as bigint | string | boolean]))
  const message = revertMessages[name]
  return { name, args, message: typeof message === 'string' ? message : message(args) }
}

/** Fields under which libraries and wallets nest an error or its data. */
export const NESTED = ['data', 'error', 'cause', 'originalError', 'raw', 'info', 'result'] as const
const MAX_DEPTH = 10

/** Hexadecimal data with a selector in an error and what it nests, outermost first. */
function* findRevertData(error: unknown, depth = 0): Generator<Hex> {
  if (typeof error === 'string') {
    if (/^0x([0-9a-fA-F]{2}){4,}$/.test(error)) yield error.toLowerCase() as Hex
  } else if (typeof error === 'object' && error !== null && depth < MAX_DEPTH) {
    for (const key of NESTED) yield* findRevertData((error as Record<string, unknown>)[key], depth + 1)
  }
}
