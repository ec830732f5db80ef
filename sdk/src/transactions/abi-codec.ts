import { type Address, type AmountLike, type Hex, isAddress, toBigInt } from '../values.ts'

// The part of the contract ABI that the reference contracts use: words, text, arrays of words, and structs. It keeps the SDK
// free of dependencies; tests compare it with viem.

/** A Solidity type, or the types of a struct's members. */
export type AbiType = string | readonly AbiType[]
/** Selector of a function, and the types of its parameters. */
export type ContractFunction = readonly [selector: Hex, ...types: AbiType[]]
export type AbiValue = AmountLike | boolean | readonly AbiValue[]

/** Calldata of a function call. Throws for a value that its type cannot hold. */
export function encodeCall([selector, ...types]: ContractFunction, values: readonly AbiValue[]): Hex {
  return `${selector}${encodeValues(types, values)}`
}

/** Dynamic values are encoded after all static ones, at the offset in their place. */
function encodeValues(types: readonly AbiType[], values: readonly AbiValue[]): string {
  if (types.length !== values.length) throw new TypeError(`Expected ${types.length} values, got ${values.length}`)
  const parts = types.map((type, index) => ({
    isDynamic: isDynamic(type),
    data: encodeValue(type, values[index] as AbiValue),
  }))
  let offset = parts.reduce((size, { isDynamic, data }) => size + (isDynamic ? 32 : data.length / 2), 0)
  let head = ''
  let tail = ''
  for (const { isDynamic, data } of parts) {
    if (!isDynamic) head += data
    else {
      head += toWord(BigInt(offset))
      tail += data
      offset += data.length / 2
    }
  }
  return head + tail
}

const isDynamic = (type: AbiType): boolean =>
  typeof type === 'string' ? type === 'string' || type.endsWith('[]') : type.some(isDynamic)

function encodeValue(type: AbiType, value: AbiValue): string {
  if (typeof type !== 'string') return encodeValues(type, value as readonly AbiValue[])
  if (type.endsWith('[]')) {
    const items = value as readonly AbiValue[]
    const itemTypes = items.map(() => type.slice(0, -2))
    return toWord(BigInt(items.length)) + encodeValues(itemTypes, items)
  }
  if (type === 'string') {
    const bytes = new TextEncoder().encode(value as string)
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    return toWord(BigInt(bytes.length)) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')
  }
  if (type === 'address') {
    if (!isAddress(value)) throw new TypeError(`Not an address: ${String(value)}`)
    return value.slice(2).toLowerCase().padStart(64, '0')
  }
  if (type === 'bool') return toWord(value ? 1n : 0n)
  if (type === 'bytes32') {
    if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(value))
      throw new TypeError(`Not 32 bytes: ${String(value)}`)
    return value.slice(2).toLowerCase()
  }
  const [, bits] = /^uint(\d+)$/.exec(type) ?? []
  if (!bits) throw new TypeError(`${type} is not supported`)
  const number = toBigInt(value as AmountLike)
  if (number < 0n || number >= 2n ** BigInt(bits)) throw new RangeError(`${number} does not fit ${type}`)
  return toWord(number)
}

const toWord = (number: bigint): string => number.toString(16).padStart(64, '0')

/** Reads values of the types; undefined if the data are too short. Types other than those below are returned as a word. */
export function decodeValues(types: readonly string[], data: string): (bigint | string | boolean)[] | undefined {
  const readWord = (byte: number): string | undefined => {
    const word = data.slice(byte * 2, byte * 2 + 64)
    return word.length === 64 ? word : undefined
  }
  const values: (bigint | string | boolean)[] = []
  for (const [index, type] of types.entries()) {
    const word = readWord(index * 32)
    const value = word === undefined ? undefined : decodeValue(type, word, readWord, data)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}

/** Reads the array of words, such as of addresses, whose offset is the word with this index; undefined if the data are too short. */
export function decodeArray(itemType: string, index: number, data: string): (bigint | string | boolean)[] | undefined {
  const [offset] = decodeValues(['uint256'], data.slice(index * 64)) ?? []
  const items = offset === undefined ? '' : data.slice(Number(offset) * 2)
  const [count] = decodeValues(['uint256'], items) ?? []
  // Below the size of the data, also for forged counts.
  if (count === undefined || Number(count) > items.length / 64) return undefined
  return decodeValues(Array(Number(count)).fill(itemType), items.slice(64))
}

function decodeValue(
  type: string,
  word: string,
  readWord: (byte: number) => string | undefined,
  data: string,
): bigint | string | boolean | undefined {
  if (type === 'address') return `0x${word.slice(24)}` satisfies Address
  if (type === 'bool') return BigInt(`0x${word}`) !== 0n
  if (type.startsWith('uint')) return BigInt(`0x${word}`)
  if (type !== 'string') return `0x${word}`
  const offset = Number(BigInt(`0x${word}`))
  const length = Number(BigInt(`0x${readWord(offset) ?? 'f'}`))
  const hex = data.slice((offset + 32) * 2, (offset + 32 + length) * 2)
  if (hex.length !== length * 2) return undefined
  return new TextDecoder().decode(Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)))
}
