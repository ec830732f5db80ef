import { type Address, type AmountLike, type Hex, isAddress, toBigInt } from '../values.ts'
import { type AbiValue, type ContractFunction, encodeCall } from './abi-codec.ts'

/** A transaction for a wallet to sign and send. */
export interface UnsignedTransaction {
  to: Address
  data: Hex
  /** Native coin, in base units. */
  value: bigint
}

/** The part of the service's configuration that builders need: pass the result of `getConfig`. */
export interface Deployments {
  readonly contracts: readonly { readonly kind: string; readonly address: Address }[]
  readonly nativeCurrency?: { readonly wrapped: Address | null }
}

/** Builds a call of a contract function. */
export function buildCall(
  to: string,
  called: ContractFunction,
  values: readonly AbiValue[],
  value: AmountLike = 0n,
): UnsignedTransaction {
  if (!isAddress(to)) throw new TypeError(`Not an address: ${to}`)
  return { to, data: encodeCall(called, values), value: toBigInt(value) }
}

/** The newest contract of a kind. Throws if the service has none. */
export function findContract({ contracts }: Deployments, kind: string): Address {
  const newest = contracts.filter((contract) => contract.kind === kind).at(-1)
  if (!newest) throw new RangeError(`The service has no contract of kind ${kind}`)
  return newest.address
}

/** The ERC-20 that wraps the native coin, and that pools hold. */
export const findWrappedNative = (config: Deployments): Address =>
  config.nativeCurrency?.wrapped ?? findContract(config, 'wrapped-native')

/** Splits the id of a raise, a proposal or a pool into the contract's address and the number there. */
export function splitId(id: string): { contract: string; number: bigint } {
  const [, contract, number] = /^(0x[0-9a-fA-F]{40})-(\d{1,78})$/.exec(id) ?? []
  if (!contract || !number) throw new TypeError(`Not an id of a raise, a proposal or a pool: ${id}`)
  return { contract, number: BigInt(number) }
}
