import type { Hex } from 'viem'
import type { Log } from '../chain/logs/log.ts'
import type { TradeCallArgs, UnsignedCall } from '../chain/trade-call.ts'
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

/** A contract that pools share, such as their factory: its logs are indexed where they are of a known pool. */
export interface SharedContract {
  /** Its kind in DEPLOYMENTS. */
  deployment: string
  /** topic0 of the events that are indexed. */
  topics: readonly Hex[]
  /** The pool that a log is about; undefined if the log names none. */
  poolOf(log: Log): string | undefined
}

/** A type of pools. */
export interface Venue {
  name: string
  /** topic0 of the events that are indexed. */
  topics: readonly Hex[]
  /** The one of them that reports a swap. */
  swapTopic: Hex
  /** A contract that all pools of the type share. */
  shared?: SharedContract
  open(pool: Pool, report: ReportFact): PoolReader
  /** Encodes a trade in the pool through a router, if this service knows its calls. */
  encodeTrade?(contracts: { router: string; weth: string }, args: TradeCallArgs): UnsignedCall
}
