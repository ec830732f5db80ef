import type { Hex } from 'viem'
import type { Log } from '../chain/logs/log.ts'
import type { Payment } from './payments.ts'

/** A pool of a token. */
export interface Pool {
  address: string
  token: string
  /** Whether the token is the pool's token0; pools order the two by address. */
  tokenFirst: boolean
}

/** The price after a log, as a fraction in base units: native coin per token. */
export interface PriceFact {
  kind: 'price'
  quote: bigint
  token: bigint
}

/** An exchange of tokens for native coin, with the price after it. */
export interface SwapFact {
  kind: 'swap'
  side: 'buy' | 'sell'
  quoteAmount: bigint
  tokenAmount: bigint
  recipient: string
  /** The wallet that paid; undefined for a sale whose seller cannot be determined. */
  trader: string | undefined
  quote: bigint
  token: bigint
}

export type PoolFact = PriceFact | SwapFact

/** Called with each fact and the log that it is of. */
export type ReportFact = (fact: PoolFact, log: Log) => void

/** Reads the logs of a pool, transaction by transaction. */
export interface PoolReader {
  /**
   * Takes the next log. takePayments: returns the payments into the pool since it was last called. Throws RangeError for an
   * invalid log, which then has no effect.
   */
  add(log: Log, takePayments: () => readonly Payment[]): void
  /** Call after the last log of each transaction. */
  finish(): void
}

/** A type of pools. */
export interface Venue {
  name: string
  /** topic0 of the events that are indexed. */
  topics: readonly Hex[]
  /** The one of them that reports a swap. */
  swapTopic: Hex
  open(pool: Pool, report: ReportFact): PoolReader
}
