import type { TokenRow } from '../../db/queries/tokens.ts'
import type { Action } from '../engine/domain.ts'
import type { Undone } from '../engine/undo.ts'
import type { ChainEvent } from './interpret-blocks.ts'
import type { NotificationRef } from './store-notifications.ts'

/** The input of the live events of one transaction, with the rows that most of them need, as of its end. */
export interface LiveUpdate {
  chainId: number
  /** The recent events, in chain order. */
  events: readonly ChainEvent[]
  /** Everything that a reorg undid, however old: it may have been sent before. */
  undone: Undone
  /** The recent actions at the contracts of other domains. */
  actions: readonly Action[]
  notifications: readonly NotificationRef[]
  /** The tokens concerned, unless their launch is unknown. */
  tokens: ReadonlyMap<string, TokenRow>
}
