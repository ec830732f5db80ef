// Generated from asyncapi.yaml by scripts/generate/sdk.ts. Do not edit: npm run generate:sdk
import type { Schema } from './types.ts'

/** What each event carries. */
export interface EventData {
  /** A token was launched. */
  'token.created': Schema<'Token'>
  /** The state, figures or metadata of a token changed. */
  'token.updated': Schema<'Token'>
  /** A token moved from its curve to its pool. */
  'token.graduated': Schema<'Token'>
  /** A reorg undid a launch. */
  'token.created.retracted': Schema<'RetractedToken'>
  /** A reorg undid a graduation. */
  'token.graduated.retracted': Schema<'RetractedToken'>
  /** A token was bought or sold. */
  'trade': Schema<'Trade'>
  /** A reorg undid a trade. */
  'trade.retracted': Schema<'RetractedTrade'>
  /** The last candles of the token’s charts changed. */
  'candle': Schema<'CurrentCandles'>
  /** A wallet acted on the chain. Actions on raises and stakes are also sent to `raises`, `raise:<id>` and `staking`. */
  'transaction': Schema<'Transaction'>
  /** A reorg undid a transaction. */
  'transaction.retracted': Schema<'RetractedTransaction'>
  /** The platform statistics changed. */
  'stats': Schema<'Statistics'>
  /** The texts of a raise changed. Its transactions are separate events. */
  'raise.updated': Schema<'Raise'>
  /** A new notification of the wallet. */
  'notification': Schema<'Notification'>
  /** A reorg undid the event of a notification. */
  'notification.retracted': Schema<'RetractedNotification'>
  /** Notifications of the wallet were marked as read, on any of its devices. */
  'notification.read': Schema<'NotificationsRead'>
  /** A comment on the token was posted. */
  'comment': Schema<'Comment'>
  /** A comment was deleted or hidden, or its author banned. If it has replies, lists show it as `removed`. */
  'comment.removed': Schema<'RemovedComment'>
  /** A token entered a view. */
  'view.added': Schema<'ViewedToken'>
  /** The record or the place of a token in a view changed. */
  'view.updated': Schema<'ViewedToken'>
  /** A token left a view. */
  'view.removed': Schema<'UnviewedToken'>
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
  /** Changes of the platform statistics. */
  stats: 'stats'
  /** Transactions and text changes of all raises. */
  raises: 'transaction' | 'transaction.retracted' | 'raise.updated'
  /** Transactions and text changes of one raise. */
  [room: `raise:${string}`]: 'transaction' | 'transaction.retracted' | 'raise.updated'
  /** Transactions in the staking pools. */
  staking: 'transaction' | 'transaction.retracted'
  /** Events of one wallet; requires its bearer token. */
  [room: `wallet:${string}`]: 'transaction' | 'transaction.retracted' | 'notification' | 'notification.retracted' | 'notification.read'
  /** Launches, graduations and comments, as in the public feed, and trades of any size. */
  feed: 'token.created' | 'token.graduated' | 'token.created.retracted' | 'token.graduated.retracted' | 'trade' | 'trade.retracted' | 'comment' | 'comment.removed'
  /** A live list of tokens: `new`, `graduating` (from 70 % of the curve on) or `graduated`, or the one that the response to a subscription to `view` names. Its `seq` counts by itself. */
  [room: `view:${string}`]: 'view.added' | 'view.updated' | 'view.removed'
}
export type Room = keyof RoomEvents
