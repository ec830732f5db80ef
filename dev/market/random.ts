import { createHash } from 'node:crypto'

/** A deterministic generator: the same seed yields the same sequence on every machine. */
export interface Random {
  /** [0, 1) */
  next(): number
  between(low: number, high: number): number
  /** 0 .. count - 1 */
  integer(count: number): number
  chance(probability: number): boolean
  /** Mean 0, standard deviation 1, clamped to ±3. */
  normal(): number
  pick<T>(items: readonly T[]): T
  /** undefined if all weights are 0. */
  pickWeighted<T>(items: readonly T[], weigh: (item: T) => number): T | undefined
  shuffle<T>(items: readonly T[]): T[]
}

/** The sfc32 generator: 128 bits of state, including a 32-bit counter that rules out short cycles. */
export function createRandom(seed: string): Random {
  const digest = createHash('sha256').update(seed).digest()
  let [a, b, c, counter] = [0, 4, 8, 12].map((offset) => digest.readInt32LE(offset)) as [number, number, number, number]
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  const integer = (count: number) => Math.floor(next() * count)
  return {
    next,
    integer,
    between: (low, high) => low + (high - low) * next(),
    chance: (probability) => next() < probability,
    normal: () => {
      // Box and Muller's transform.
      const radius = Math.sqrt(-2 * Math.log(1 - next()))
      return Math.max(-3, Math.min(3, radius * Math.cos(2 * Math.PI * next())))
    },
    pick: (items) => items[integer(items.length)] as (typeof items)[number],
    pickWeighted: (items, weigh) => {
      const weights = items.map(weigh)
      const total = weights.reduce((sum, weight) => sum + weight, 0)
      if (total <= 0) return undefined
      let left = next() * total
      for (const [index, weight] of weights.entries()) {
        left -= weight
        if (left < 0) return items[index]
      }
      return items[weights.findLastIndex((weight) => weight > 0)]
    },
    shuffle: (items) => {
      const shuffled = [...items]
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = integer(last + 1)
        const item = shuffled[last] as (typeof items)[number]
        shuffled[last] = shuffled[other] as (typeof items)[number]
        shuffled[other] = item
      }
      return shuffled
    },
  }
}
