import { hexToBytes, keccak256 } from 'viem'

/** Cached items: the same addresses and topics are tested against every header. */
const MAX_KNOWN = 20_000
const positions = new Map<string, readonly number[]>()

/** The three bit positions of an item in the 2,048-bit bloom, from the least significant. */
function bloomBits(item: string): readonly number[] {
  const known = positions.get(item)
  if (known) return known
  const hash = hexToBytes(keccak256(item as `0x${string}`))
  const bits = [0, 2, 4].map((at) => ((hash[at]! << 8) | hash[at + 1]!) & 2_047)
  if (positions.size >= MAX_KNOWN) positions.clear()
  positions.set(item, bits)
  return bits
}

/** A header's logsBloom, or one built from logs. It has false positives, but no false negatives. */
export class Bloom {
  readonly bytes: Uint8Array

  constructor(hex?: string) {
    this.bytes = hex === undefined ? new Uint8Array(256) : hexToBytes(hex as `0x${string}`)
    if (this.bytes.length !== 256) throw new RangeError('A log bloom has 256 bytes')
  }

  has(item: string): boolean {
    return bloomBits(item).every((bit) => (this.bytes[255 - (bit >> 3)]! & (1 << (bit & 7))) !== 0)
  }

  add(item: string): void {
    for (const bit of bloomBits(item)) this.bytes[255 - (bit >> 3)]! |= 1 << (bit & 7)
  }
}
