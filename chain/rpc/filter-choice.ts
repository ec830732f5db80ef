// Saves nine tenths of the time of requesting the logs of 10,000 contracts, against naming none (`npm run bench:filters`).
import { ListRejectedError, MAX_LISTED } from './split-list.ts'
import type { BlockRange } from './split-range.ts'

/** A request costs as much as this many logs that are dropped: see docs/performance.md, "Filters of many contracts". */
const LOGS_PER_REQUEST = 1_000
/** Blocks in which the logs of other contracts are counted before the first decision. */
const SAMPLE_BLOCKS = 4

/**
 * Decides how the logs of contracts are requested. Filters that name them take a request for each thousand; one that names none
 * is a single request, and its answer holds the logs of every contract of the chain.
 */
export class FilterChoice {
  /** Logs of other contracts per block in the last answer to a filter that names none; undefined before the first. */
  #othersPerBlock: number | undefined

  /**
   * Whether to name so many contracts in a range. countOthers: requests a few blocks without names, and resolves to the number of
   * logs that were dropped.
   */
  async isNaming(
    contracts: number,
    range: BlockRange,
    countOthers: (sample: BlockRange) => Promise<number>,
  ): Promise<boolean> {
    if (contracts <= MAX_LISTED) return true
    const { from, to } = range
    this.#othersPerBlock ??= await sample({ from, to: Math.min(to, from + SAMPLE_BLOCKS - 1) }, countOthers)
    return Math.ceil(contracts / MAX_LISTED) * LOGS_PER_REQUEST <= this.#othersPerBlock * (to - from + 1)
  }

  /** Takes note of an answer to a filter that named none. others: number of logs that were dropped. */
  learn(range: BlockRange, others: number): void {
    this.#othersPerBlock = perBlock(range, others)
  }
}

const perBlock = ({ from, to }: BlockRange, logs: number): number => logs / (to - from + 1)

async function sample(range: BlockRange, countOthers: (sample: BlockRange) => Promise<number>): Promise<number> {
  try {
    return perBlock(range, await countOthers(range))
  } catch (error) {
    // Some nodes answer no filter without addresses.
    if (error instanceof ListRejectedError) return Number.POSITIVE_INFINITY
    throw error
  }
}
