import type {
  CompletedEvent,
  CreateEvent,
  CreatorFeeClaimedEvent,
  FeeRightTransferredEvent,
  FeeSharesUpdatedEvent,
  GraduateEvent,
  MetadataUpdateEvent,
  Side,
  TransferEvent,
} from '../../chain/events.ts'
import type { EventContext } from '../engine/batch.ts'

/**
 * A trade on a curve or in a pool. virtual* are the reserves after it, whose ratio is the price; real* are null in a
 * pool.
 */
export interface Trade {
  kind: 'trade'
  venue: 'curve' | 'pool'
  side: Side
  token: string
  trader: string
  /** Null for the curve. */
  pool: string | null
  /** False for a sale in a pool by an unknown seller: trader is the recipient then, and nobody can claim it. */
  traderKnown: boolean
  recipient: string
  quoteAmount: bigint
  tokenAmount: bigint
  protocolFee: bigint
  creatorFee: bigint
  virtualQuote: bigint
  virtualToken: bigint
  realQuote: bigint | null
  realToken: bigint | null
  /** USD value at the time of the trade, USD_DECIMALS decimals; null without a feed. */
  valueUsd: bigint | null
  /** Native coin per whole token, for display and candles. */
  price: number
}

export type TradeEvent = Trade & { at: EventContext }

/** Reserves of a pool after a Sync without a swap. */
export interface PoolState {
  kind: 'pool-state'
  token: string
  poolQuote: bigint
  poolToken: bigint
  /** Their ratio from the graduation on; null before. */
  price: number | null
}

export type ChainEvent = { at: EventContext } & (
  | Trade
  | PoolState
  | CreateEvent
  | CompletedEvent
  | GraduateEvent
  | CreatorFeeClaimedEvent
  | FeeRightTransferredEvent
  | FeeSharesUpdatedEvent
  | MetadataUpdateEvent
  | TransferEvent
)

export type OfKind<K extends ChainEvent['kind']> = Extract<ChainEvent, { kind: K }>

export const ofKind = <K extends ChainEvent['kind']>(events: readonly ChainEvent[], kind: K) =>
  events.filter((event): event is OfKind<K> => event.kind === kind)
