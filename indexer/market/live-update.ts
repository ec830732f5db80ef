import type { TokenRow } from '../../db/queries/tokens.ts'
import type { Action } from '../engine/domain.ts'
import type { Undone } from '../engine/undo.ts'
import type { ChainEvent } from './interpret-blocks.ts'
import type { NotificationRef } from './store-notifications.ts'

/** What there is to announce, and the rows that most of it is told with, as the transaction leaves them. */
export interface LiveUpdate {
  chainId: number
  /** What is live of what happened, in the order of the chain. */
  events: readonly ChainEvent[]
  /** Everything that a reorg took away, live or not: whoever has it, has it from us. */
  undone: Undone
  /** The same of what was done at the contracts of domains. */
  actions: readonly Action[]
  notifications: readonly NotificationRef[]
  /** The tokens that any of it is about, as far as their launch is known. */
  tokens: ReadonlyMap<string, TokenRow>
}
