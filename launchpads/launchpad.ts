import type { Hex } from 'viem'
import type { FeeShare } from '../chain/creator-fees.ts'
import type { Log } from '../chain/logs/log.ts'
import type { Venue } from '../venues/venue.ts'
import type { Capability, LaunchpadKind } from './kinds.ts'

export type Side = 'buy' | 'sell'

/** Amounts of all facts are in base units. */
export interface LaunchFact {
  kind: 'create'
  launchpad: string
  token: string
  creator: string
  quoteToken: string
  name: string
  symbol: string
  metadataUri: string
  /** null: what its transaction mints before the log. */
  totalSupply: bigint | null
  virtualQuote: bigint
  virtualToken: bigint
  /** Tokens for sale on the curve. */
  saleSupply: bigint
  /** What the curve holds when they are sold. */
  targetQuote: bigint
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
  realQuote: bigint
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

/**
 * How the logs of one version of a launchpad's contracts are read. It is pure: what a log says depends on the log alone.
 */
export interface Launchpad {
  kind: LaunchpadKind
  /** The kind of its contracts in DEPLOYMENTS. */
  deployment: string
  capabilities: readonly Capability[]
  /** The type of the pools into which its tokens graduate. */
  venue: Venue
  /** topic0 of the events that are indexed. */
  topics: readonly Hex[]
  /** Those of them that launch a token or open its pool. */
  creationTopics: readonly Hex[]
  /** The token that a log with one of the topics is about; undefined if the log names none. */
  subjectOf(log: Log): string | undefined
  /** Filters of the creations of a token. */
  creationFilters(token: string): readonly CreationFilter[]
  /** Undefined for a log of another event. Throws RangeError for an invalid log, which then has no effect. */
  decode(log: Log): LaunchpadFact | undefined
}
