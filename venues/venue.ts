import type { Hex } from 'viem'
import type { Log } from '../chain/logs/log.ts'
import type { TradeCallArgs, UnsignedCall } from '../chain/trade-call.ts'
import type { Payment } from './payments.ts'

/** A pool of a token. */
export interface Pool {
  /** Its address, or its id of 32 bytes in a contract that holds pools. */
  address: string
  token: string
  /** Whether the token is the pool's token0; pools order the two by address. */
  tokenFirst: boolean
  /** The contract that holds the pool and its tokens; null: the pool is a contract, and holds them. */
  manager: string | null
}

/** A price as a fraction in base units: quote asset per token. */
export interface Price {
  quote: bigint
  token: bigint
}

/** The price after a log. */
export interface PriceFact extends Price {
  kind: 'price'
}

/** An exchange of tokens for the quote asset, with the price after it. */
export interface SwapFact extends Price {
  kind: 'swap'
  side: 'buy' | 'sell'
  quoteAmount: bigint
  tokenAmount: bigint
  recipient: string
  /** The wallet that paid; undefined if it cannot be determined. */
  trader: string | undefined
}

/** A transfer of a pool's token. */
export interface PoolTransfer {
  from: string
  to: string
  value: bigint
}

export type PoolFact = PriceFact | SwapFact

/** Called with each fact and the log that it is of. */
export type ReportFact = (fact: PoolFact, log: Log) => void

/** Reads the logs of a pool, transaction by transaction. */
export interface PoolReader {
  /** The first price in the logs of the transaction so far. */
  readonly firstPrice: Price | undefined
  /**
   * Takes the next log. takePayments: returns the payments into the pool since it was last called. Throws RangeError for an
   * invalid log, which then has no effect.
   */
  add(log: Log, takePayments: () => readonly Payment[]): void
  /** Takes the next transfer of the token from or to the manager of the pool, in its place among the logs. */
  addTransfer?(transfer: PoolTransfer): void
  /** Reports a change of the price without a swap, as far as it is known to be one, before the end of the transaction. */
  reportPrice(): void
  /** Call after the last log of each transaction. */
  finish(): void
}

/** A contract that pools share, such as their factory: its logs are indexed where they are of a known pool. */
export interface SharedContract {
  /** Its kind in DEPLOYMENTS. */
  deployment: string
  /** topic0 of the events that are indexed. */
  topics: readonly Hex[]
  /** The one of them that reports a new pool; absent where that is not indexed. */
  creationTopic?: Hex
  /** The pool that a log is about; undefined if the log names none. */
  poolOf(log: Log): string | undefined
  /**
   * Whether the pools are in this contract, which emits their logs and holds their tokens. Such a pool has an id of 32 bytes instead
   * of an address, and topic1 of its logs is the id.
   */
  holdsPools: boolean
}

/** Asks a contract at the newest block. Rejects if the call reverts, or no node answers. */
export type CallContract = (to: string, data: Hex) => Promise<Hex>

/** A trade with an exact amount in: native coin for a buy, tokens for a sell. */
export type TradedAmount = Pick<TradeCallArgs, 'side' | 'amount'>

/** What a trade gives at the newest block. Amounts in base units. */
export interface PoolQuote {
  amountOut: bigint
  /** Kept by the pool, of the amount in. */
  poolFee: bigint
  before: Price
  after: Price
  encode(router: string, args: TradeCallArgs): UnsignedCall
}

/** Trades in pools, against native coin, that contracts of the pools' periphery quote and carry out. */
export interface PoolTrades {
  /** Kinds in DEPLOYMENTS of the contract that carries them out, and of the one that computes them. */
  router: 'uniswap-v2-router' | 'uniswap-v3-router'
  quoter: 'uniswap-v2-router' | 'uniswap-v3-quoter'
  /** null if the pool cannot take the whole amount. */
  quote(
    call: CallContract,
    contracts: { quoter: string; weth: string },
    pool: Pool,
    trade: TradedAmount,
  ): Promise<PoolQuote | null>
}

/** A type of pools. */
export interface Venue {
  name: string
  /** topic0 of the events that are indexed. */
  topics: readonly Hex[]
  /** Those of them that report a swap. */
  swapTopics: readonly Hex[]
  /** A contract that all pools of the type share. */
  shared?: SharedContract
  open(pool: Pool, report: ReportFact): PoolReader
  /** Where pools are of several types: the type of the one that emits such a log. Throws nothing. */
  typeOf?(log: Log): string | undefined
  /** Encodes a trade in a pool of our launchpad, whose indexed reserves suffice to quote it. */
  encodeTrade?(contracts: { router: string; weth: string }, args: TradeCallArgs): UnsignedCall
  /** Trades in pools of other launchpads, if this service knows them. */
  trades?: PoolTrades
}
