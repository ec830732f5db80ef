import type { Abi, Address, Hex } from 'viem'
import type { FeeShare } from '../chain/creator-fees.ts'
import type { ContractRead } from '../chain/logs/contract-read.ts'
import type { Log } from '../chain/logs/log.ts'
import type { TradeCallArgs, UnsignedCall } from '../chain/trade-call.ts'
import type { Venue } from '../venues/venue.ts'
import type { Capability, LaunchpadKind } from './kinds.ts'

export type Side = 'buy' | 'sell'

/** The curve on which a token begins. */
export interface CurveTerms {
  virtualQuote: bigint
  virtualToken: bigint
  /** Tokens for sale on the curve. */
  saleSupply: bigint
  /** What the curve holds when they are sold. */
  targetQuote: bigint
  /** Decimals of these amounts of the quote asset; default: those of the asset. */
  quoteDecimals?: number
}

/** Amounts of all facts are in base units. */
export interface LaunchFact {
  kind: 'create'
  launchpad: string
  token: string
  creator: string
  /** What the token is priced in; the zero address: the native coin. */
  quoteToken: string
  name: string
  symbol: string
  metadataUri: string
  /** Decimals of the token; default: 18. */
  decimals?: number
  /** null: what its transaction mints before the log. */
  totalSupply: bigint | null
  /** null: the token begins in its pool. */
  curve: CurveTerms | null
  /** The pool in which the token begins; null: it begins on a curve, or no log contains the pool. */
  pool: string | null
  /** null if the log does not say. */
  protocolFeeBps: number | null
  creatorFeeBps: number | null
}

interface Exchange {
  side: Side
  launchpad: string
  token: string
  trader: string
  recipient: string
  quoteAmount: bigint
  tokenAmount: bigint
  /** null if the log does not say. */
  protocolFee: bigint | null
  creatorFee: bigint | null
}

interface CurveReserves {
  virtualQuote: bigint
  virtualToken: bigint
  /** What the curve holds; null: as much as the virtual amount exceeds that at the launch. */
  realQuote: bigint | null
  /** Tokens still for sale; null: as many as the virtual ones exceed those that are left when the curve is sold out. */
  realToken: bigint | null
}

/** A trade on a curve. Reserves are after the trade. */
export interface CurveTradeFact extends Exchange, CurveReserves {
  kind: 'curve-trade'
}

/** A trade on a curve whose reserves are in a curve-state of the token beside it, in the same transaction. */
export interface UnpricedTradeFact extends Exchange {
  kind: 'unpriced-trade'
}

/** The reserves of a curve after the trade before or behind it: versions of a launchpad differ. */
export interface CurveStateFact extends CurveReserves {
  kind: 'curve-state'
  token: string
}

/** The tokens that are sold after the trade before or behind it, on a curve whose virtual reserves have a constant product. */
export interface CurveSoldFact {
  kind: 'curve-sold'
  token: string
  sold: bigint
}

/** The curve is sold out. */
export interface CompletedFact {
  kind: 'completed'
  token: string
}

/** From now on the token trades in a pool. */
export interface GraduationFact {
  kind: 'graduate'
  launchpad: string
  token: string
  pool: string
  /** What the pool opens with; null if the log does not say. */
  liquidity: { quote: bigint; token: bigint } | null
}

export interface CreatorFeeClaimFact {
  kind: 'creator-fee-claimed'
  token: string
  /** The creator, unless the right to the fees, or a share of them, is another's. */
  recipient: string
  amount: bigint
}

/** The right to a token's creator fees was given to another account, which ends a split. */
export interface FeeRightTransferFact {
  kind: 'fee-right-transferred'
  token: string
  from: string
  to: string
}

/** The owner of the right to a token's creator fees has split later payouts. */
export interface FeeSplitFact {
  kind: 'fee-shares-updated'
  token: string
  owner: string
  /** Empty: all goes to the owner. The last one gets what rounding leaves. */
  shares: FeeShare[]
}

/** What a log of a launchpad says. */
export type LaunchpadFact =
  | LaunchFact
  | CurveTradeFact
  | UnpricedTradeFact
  | CurveStateFact
  | CurveSoldFact
  | CompletedFact
  | GraduationFact
  | CreatorFeeClaimFact
  | FeeRightTransferFact
  | FeeSplitFact

/** Any of these topic0s, with the token as another topic. */
export interface CreationFilter {
  topics: readonly Hex[]
  topic1?: string
  topic2?: string
}

/** How a contract of a launchpad is recognized. */
export interface LaunchpadContract {
  abi: Abi
  /** Functions without arguments that it answers. Empty: it is known by its events alone. */
  probes: readonly string[]
  /** Functions without arguments that return the address of another contract, by the kind of that one in DEPLOYMENTS. */
  uses: Readonly<Partial<Record<'wrapped-native' | 'uniswap-factory', string>>>
}

/** The graduation of a completed token by any account. */
export interface OpenGraduation {
  /** Encodes the call that moves the token into its pool. */
  encode(token: Address): Hex
  /** The call that returns the gas of a graduation. */
  gas: { abi: Abi; functionName: string }
}

/** Contracts that a launchpad may ask about its logs. */
export interface ReadContracts {
  /** That of the kind that it needs; undefined if none is configured. */
  needed: string | undefined
  wrappedNative: string
}

/**
 * How the logs of one version of a launchpad's contracts are read. It is pure: what a log says depends on the log alone, and
 * what a launch says also on other logs of its transaction, or on what was read for it.
 */
export interface Launchpad {
  kind: LaunchpadKind
  contract: LaunchpadContract
  /** The kind in DEPLOYMENTS of a contract that its launches or graduations need. */
  needs?: string
  capabilities: readonly Capability[]
  /** Whether its logs contain the fees of a trade; sums of fees that they do not contain are null. */
  emits: { protocolFees: boolean; creatorFees: boolean }
  /** The type of the pools into which its tokens graduate, or in which they begin. */
  venue: Venue
  /** topic0 of the events that are indexed. */
  topics: readonly Hex[]
  /** Those of them that launch a token or open its pool, or say more about it in the same transaction. */
  creationTopics: readonly Hex[]
  /** The token that a log with one of the topics is about; undefined if the log names none. */
  subjectOf(log: Log): string | undefined
  /** Filters of the creations of a token, and perhaps of others, where events do not index the token. */
  creationFilters(token: string): readonly CreationFilter[]
  /** What a log with one of creationTopics leaves out and a call returns; undefined if nothing is missing. Throws nothing. */
  reads?(log: Log, contracts: ReadContracts): ContractRead | undefined
  /**
   * Undefined for a log of another event. Throws RangeError for an invalid log, which then has no effect. readOthers: the logs in its
   * transaction that a launch or a graduation may depend on: those of the venue's shared contracts before it, and those of its
   * launchpad with creationTopics. answer: what `reads` has kept; null if it could not be read, or nothing is missing.
   */
  decode(log: Log, readOthers: () => readonly Log[], answer?: Hex | null): LaunchpadFact | undefined
  /** Encodes a trade on the curve, if this service knows its calls. */
  encodeTrade?(launchpad: string, args: TradeCallArgs): UnsignedCall
  /** Where any account may graduate completed tokens, which the keeper then does. */
  graduation?: OpenGraduation
}
