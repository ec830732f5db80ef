import { RpcError } from './rpc-error.ts'

/** Methods that execute code in the node. Their parameters after the block override state and block. */
const CALLS: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas', 'eth_createAccessList'])
const OVERRIDES_FROM = 2

const MAX_ACCESS_KEYS = 1_000
const MAX_AUTHORIZATIONS = 16

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/
/** Known fields of a call. Unknown ones are forwarded unless a node could read them as a known one. */
const FIELDS = [
  'from',
  'to',
  'gas',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'maxFeePerBlobGas',
  'value',
  'nonce',
  'data',
  'input',
  'accessList',
  'authorizationList',
  'blobVersionedHashes',
  'chainId',
  'type',
]
const FIELDS_BY_LOWER = new Map(FIELDS.map((name) => [name.toLowerCase(), name]))

export interface CallBounds {
  /** Maximum gas of one call, and gas of a call without a value. */
  gasCap: bigint
  /** Whether calls may override state and block. */
  overrides: boolean
}

export const isExecuting = (method: string): boolean => CALLS.has(method)

/** Parameters of a call with limited gas. Throws RpcError for values that a node would not limit itself. */
export function boundCall(params: readonly unknown[], { gasCap, overrides }: CallBounds): unknown[] {
  const [call, block, ...more] = params
  if (typeof call !== 'object' || call === null || Array.isArray(call))
    throw new RpcError('invalidParams', 'params must begin with a call object')
  if (!overrides && more.some((one) => one !== null && one !== undefined && Object.keys(Object(one)).length > 0))
    throw new RpcError('invalidParams', 'Overrides of state and block are not available')
  const fields = readFields(call as Record<string, unknown>)
  const { gas, gasLimit, ...rest } = fields
  const wanted = [gas, gasLimit].filter((one) => one !== undefined && one !== null)
  if (!wanted.every((one) => typeof one === 'string' && QUANTITY.test(one)))
    throw new RpcError('invalidParams', 'gas must be a number in hexadecimal')
  const least = wanted.reduce<bigint>((a, one) => (BigInt(one as string) < a ? BigInt(one as string) : a), gasCap)
  checkLists(rest)
  const bounded = { ...rest, gas: `0x${least.toString(16)}` }
  const given = overrides ? params.slice(OVERRIDES_FROM) : []
  return block === undefined && given.length === 0 ? [bounded] : [bounded, block, ...given]
}

/**
 * Rejects other spellings of known fields. Nodes written in Go match names case-insensitively and use the last one: a
 * second spelling of gas would bypass its limit.
 */
function readFields(call: Record<string, unknown>): Record<string, unknown> {
  for (const name of Object.keys(call)) {
    const known = FIELDS_BY_LOWER.get(name.toLowerCase())
    const isForeign = !/^[A-Za-z0-9_]{1,64}$/.test(name) || (known !== undefined && known !== name)
    if (isForeign || (name !== 'gasLimit' && name.toLowerCase() === 'gaslimit'))
      throw new RpcError('invalidParams', `The call has a field that is not known: ${name.slice(0, 64)}`)
  }
  return call
}

function checkLists({ accessList, authorizationList }: Record<string, unknown>): void {
  const accesses = listOf('accessList', accessList)
  const keys = accesses.reduce<number>((sum, one) => {
    const { storageKeys } = Object(one) as { storageKeys?: unknown }
    return sum + 1 + (Array.isArray(storageKeys) ? storageKeys.length : 0)
  }, 0)
  if (keys > MAX_ACCESS_KEYS)
    throw new RpcError('limitExceeded', `accessList may hold at most ${MAX_ACCESS_KEYS} addresses and keys`)
  if (listOf('authorizationList', authorizationList).length > MAX_AUTHORIZATIONS)
    throw new RpcError('limitExceeded', `authorizationList may hold at most ${MAX_AUTHORIZATIONS} values`)
}

function listOf(name: string, value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new RpcError('invalidParams', `${name} must be a list`)
  return value
}
