// Generated from asyncapi.yaml by scripts/sdk.ts. Do not edit: npm run generate:sdk
import type { Schema } from './types.ts'

/** What each event carries. */
export interface EventData {
  /** A token was launched. */
  'token.created': Schema<'Token'>
  /** Its state, figures or metadata have changed. */
  'token.updated': Schema<'Token'>
  /** A token has moved from its curve to its pool. */
  'token.graduated': Schema<'Token'>
  /** A launch is no more. */
  'token.created.retracted': Schema<'RetractedToken'>
  /** A graduation is no more. */
  'token.graduated.retracted': Schema<'RetractedToken'>
  /** A token was bought or sold. */
  'trade': Schema<'Trade'>
  /** A trade is no more. */
  'trade.retracted': Schema<'RetractedTrade'>
  /** The last candles of the charts have changed. */
  'candle': Schema<'CurrentCandles'>
  /** Somebody said something about the token. */
  'comment': Schema<'Comment'>
  /** A comment is no longer shown. */
  'comment.removed': Schema<'RemovedComment'>
  /** The wallet was told something. */
  'notification': Schema<'Notification'>
  /** A notification is no more. */
  'notification.retracted': Schema<'RetractedNotification'>
  /** The wallet, or somebody in the raise or the pools, did something on the chain. */
  'transaction': Schema<'Transaction'>
  /** A transaction is no more. */
  'transaction.retracted': Schema<'RetractedTransaction'>
  /** What is said about the raise has changed. What is done in it is told by transactions. */
  'raise.updated': Schema<'Raise'>
  /** The figures have changed. */
  'stats': Schema<'Statistics'>
}
export type EventType = keyof EventData

/** Which events each room has. */
export interface RoomEvents {
  /** Launches and graduations of all tokens. */
  tokens: 'token.created' | 'token.graduated' | 'token.created.retracted' | 'token.graduated.retracted'
  /** Every trade. */
  trades: 'trade' | 'trade.retracted'
  /** All about one token. */
  [room: `token:${string}`]: 'token.updated' | 'token.graduated' | 'token.graduated.retracted' | 'trade' | 'trade.retracted' | 'candle' | 'comment' | 'comment.removed'
  /** What concerns one wallet; for its owner. */
  [room: `wallet:${string}`]: 'notification' | 'notification.retracted' | 'transaction' | 'transaction.retracted'
  /** What is done in any raise, and what is said about it. */
  raises: 'transaction' | 'transaction.retracted' | 'raise.updated'
  /** What is done in one raise, and what is said about it. */
  [room: `raise:${string}`]: 'transaction' | 'transaction.retracted' | 'raise.updated'
  /** What is done in the staking pools. */
  staking: 'transaction' | 'transaction.retracted'
  /** Launches, graduations, trades and comments, as the public feed lists them. */
  feed: 'token.created' | 'token.graduated' | 'token.created.retracted' | 'token.graduated.retracted' | 'trade' | 'trade.retracted' | 'comment' | 'comment.removed'
  /** Figures of the platform, as they change. */
  stats: 'stats'
}
export type Room = keyof RoomEvents
