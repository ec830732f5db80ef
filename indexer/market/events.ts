import type { TransferEvent } from '../../chain/token-events.ts'
import type {
  CurveSoldFact,
  CurveStateFact,
  CurveTradeFact,
  GraduationFact,
  LaunchFact,
  LaunchpadFact,
  Side,
  UnpricedTradeFact,
} from '../../launchpads/launchpad.ts'
import type { Price } from '../../venues/venue.ts'
import type { EventContext } from '../engine/batch.ts'
import type { Prices, Value } from './pricing.ts'

/**
 * A trade on a curve or in a pool. virtual* are the reserves after it, whose ratio is the price; real* are null in a
 * pool.
 */
export interface Trade extends Prices, Value {
  kind: 'trade'
  venue: 'curve' | 'pool'
  side: Side
  token: string
  /** The kind of the token's launchpad. */
  launchpadKind: string
  trader: string
  /** Null for the curve. */
  pool: string | null
  /** False for a swap in a pool by an unknown wallet: trader is the recipient then, and nobody can claim it. */
  traderKnown: boolean
  recipient: string
  quoteAmount: bigint
  tokenAmount: bigint
  /** null if the launchpad does not say. */
  protocolFee: bigint | null
  creatorFee: bigint | null
  virtualQuote: bigint
  virtualToken: bigint
  realQuote: bigint | null
  realToken: bigint | null
  /** The transfer of its tokens: see pairTransfers. */
  transfer: (Transfer & { at: EventContext }) | null
}

export type TradeEvent = Trade & { at: EventContext }

/** The creator has replaced the token's contractURI, which the event does not contain. */
export interface MetadataUpdate {
  kind: 'metadata-update'
  token: string
  creator: string
}

/** A launch, with the kind of its launchpad and the type of the token's pool. The pool is null if it is another token's. */
export interface LaunchEvent extends LaunchFact, Pick<Prices, 'isNative' | 'rateNative'> {
  decimals: number
  quoteDecimals: number
  totalSupply: bigint
  launchpadKind: string
  venue: string
  /** The contract that holds its pool and the tokens in it; null: the pool does. */
  poolManager: string | null
  /** See Launch. */
  poolNative: boolean
  /** A fraction in base units: the virtual reserves of the curve, or what the pool was opened with; zeros if no log contains it. */
  firstPrice: Price
}

/** A graduation, with the type of the pool where the launchpad has several; null elsewhere, or if no log shows it. */
export interface GraduationEvent extends GraduationFact {
  poolType: string | null
}

export interface Transfer extends TransferEvent {
  /** Whether it is no part of a trade: see pairTransfers. */
  isLoose: boolean
}

/** Reserves of a pool after a change without a swap. */
export interface PoolState extends Omit<Prices, 'price'> {
  kind: 'pool-state'
  token: string
  poolQuote: bigint
  poolToken: bigint
  /** Their ratio from the graduation, or the launch in the pool, on; null before, as the other prices. */
  price: number | null
}

export type ChainEvent = { at: EventContext } & (
  | Trade
  | PoolState
  | MetadataUpdate
  | Transfer
  | LaunchEvent
  | GraduationEvent
  | Exclude<
      LaunchpadFact,
      LaunchFact | GraduationFact | CurveTradeFact | UnpricedTradeFact | CurveStateFact | CurveSoldFact
    >
)

export type OfKind<K extends ChainEvent['kind']> = Extract<ChainEvent, { kind: K }>

export const ofKind = <K extends ChainEvent['kind']>(events: readonly ChainEvent[], kind: K) =>
  events.filter((event): event is OfKind<K> => event.kind === kind)
