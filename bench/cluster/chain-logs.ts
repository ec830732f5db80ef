import { BlockWriter, type LogKey, type ServedBlock } from './logs.ts'
import { Market } from './market.ts'
import type { Shape } from './shape.ts'

/** Logs kept in memory, a kilobyte each. */
const MAX_KEPT = 250_000

const [OPEN, COMMA, CLOSE] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

export interface LogFilter {
  address?: string | string[]
  topics?: (string | string[] | null)[]
}

/** Generates the logs of any block. It is fast in their order, and starts again at the first block for an older one. */
export class ChainLogs {
  readonly #shape: Shape
  readonly #kept = new Map<number, ServedBlock>()
  #market: Market
  #count = 0

  constructor(shape: Shape) {
    this.#shape = shape
    this.#market = new Market(shape)
  }

  /** A JSON array. */
  find(from: number, to: number, { address, topics = [] }: LogFilter): Buffer {
    const listOf = (wanted: string | string[] | null | undefined) =>
      wanted == null ? undefined : new Set([wanted].flat().map((one) => one.toLowerCase()))
    const [addresses, first, second] = [listOf(address), listOf(topics[0]), listOf(topics[1])]
    const isWanted = ({ address, topic0, topic1 }: LogKey) =>
      (addresses?.has(address) ?? true) && (first?.has(topic0) ?? true) && (second?.has(topic1) ?? true)
    const parts: Buffer[] = []
    for (let block = Math.max(from, 1); block <= to; block++) {
      const { keys, bytes, ends } = this.#read(block)
      const found = keys.flatMap((key, index) => (isWanted(key) ? [index] : []))
      const logs =
        found.length === keys.length && found.length > 0
          ? [bytes]
          : found.map((index) => bytes.subarray(index === 0 ? 0 : ends[index - 1]! + 1, ends[index]))
      for (const log of logs) parts.push(parts.length === 0 ? OPEN : COMMA, log)
    }
    return Buffer.concat(parts.length === 0 ? [OPEN, CLOSE] : [...parts, CLOSE])
  }

  #read(block: number): ServedBlock {
    const kept = this.#kept.get(block)
    if (kept) return kept
    if (block <= this.#market.block) this.#market = new Market(this.#shape)
    while (this.#market.block < block - 1) this.#market.step()
    const writer = new BlockWriter(this.#shape, block)
    this.#market.step(writer)
    const served = writer.finish()
    this.#kept.set(block, served)
    this.#count += served.keys.length
    for (const [oldest, { keys }] of this.#kept) {
      if (this.#count <= MAX_KEPT) break
      this.#kept.delete(oldest)
      this.#count -= keys.length
    }
    return served
  }
}
