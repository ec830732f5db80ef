// Generated from asyncapi.yaml by scripts/sdk.ts. Do not edit: npm run generate:sdk
import type { Schema } from './types.ts'

/** What each event carries. */
export interface EventData {
  /** A token was launched. */
  'token.created': Schema<'Token'>
  /** The state, the figures or the metadata of a token have changed. */
  'token.updated': Schema<'Token'>
  /** A token has moved from its curve to its pool. */
  'token.graduated': Schema<'Token'>
  /** A reorg has undone a launch. */
  'token.created.retracted': Schema<'RetractedToken'>
  /** A reorg has undone a graduation. */
  'token.graduated.retracted': Schema<'RetractedToken'>
  /** A token was bought or sold. */
  'trade': Schema<'Trade'>
  /** A reorg has undone a trade. */
  'trade.retracted': Schema<'RetractedTrade'>
  /** The last candles of the charts have changed. */
  'candle': Schema<'CurrentCandles'>
  /** A wallet acted on the chain. Those of raises and stakes go to `raises`, `raise:<id>` and `staking` as well. */
  'transaction': Schema<'Transaction'>
  /** A reorg has undone a transaction. */
  'transaction.retracted': Schema<'RetractedTransaction'>
  /** The figures have changed. */
  'stats': Schema<'Statistics'>
  /** The texts of a raise have changed. Its transactions are events of their own. */
  'raise.updated': Schema<'Raise'>
  /** A notification of the wallet. */
  'notification': Schema<'Notification'>
  /** A reorg has undone what a notification was about. */
  'notification.retracted': Schema<'RetractedNotification'>
  /** A comment on the token was posted. */
  'comment': Schema<'Comment'>
  /** A comment was deleted or hidden. If it has replies, lists show it as `removed`. */
  'comment.removed': Schema<'RemovedComment'>
}
export type EventType = keyof EventData

/** Which events each room has. */
export interface RoomEvents {
  /** Launches and graduations of all tokens. */
  tokens: 'token.created' | 'token.graduated' | 'token.created.retracted' | 'token.graduated.retracted'
  /** Every trade. */
  trades: 'trade' | 'trade.retracted'
  /** All events of one token. */
  [room: `token:${string}`]: 'token.updated' | 'token.graduated' | 'token.graduated.retracted' | 'trade' | 'trade.retracted' | 'candle' | 'comment' | 'comment.removed'
  /** Figures of the platform, as they change. */
  stats: 'stats'
  /** Transactions in any raise, and changes of its texts. */
  raises: 'transaction' | 'transaction.retracted' | 'raise.updated'
  /** Transactions in one raise, and changes of its texts. */
  [room: `raise:${string}`]: 'transaction' | 'transaction.retracted' | 'raise.updated'
  /** Transactions in the staking pools. */
  staking: 'transaction' | 'transaction.retracted'
  /** Notifications and transactions of one wallet, for its owner. */
  [room: `wallet:${string}`]: 'transaction' | 'transaction.retracted' | 'notification' | 'notification.retracted'
  /** Launches, graduations, trades and comments, as the public feed lists them. */
  feed: 'token.created' | 'token.graduated' | 'token.created.retracted' | 'token.graduated.retracted' | 'trade' | 'trade.retracted' | 'comment' | 'comment.removed'
}
export type Room = keyof RoomEvents
