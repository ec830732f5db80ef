import type { ChangedTokens } from '../../db/queries/outbox.ts'
import type { DataChange, DataVersions } from '../../lib/cache/data-versions.ts'

export interface LiveEvent {
  seq: number
  rooms: readonly string[]
  type: string
  data: string /* JSON text */
}

export interface LiveEvents {
  /**
   * Delivers each event once, in seq order, after its commit. onLoss: a failover may have lost events that were delivered, or
   * some were too old to be sent. Returns the unsubscribe function.
   */
  subscribe(listener: (event: LiveEvent) => void, onLoss?: () => void): () => void
  /** Up to `limit` events of a channel after `since`, oldest first. complete=false: some of them have been trimmed. */
  replay(channel: string, since: number, limit: number): Promise<{ events: LiveEvent[]; complete: boolean }>
  /** seq of the last event delivered to listeners. */
  readonly head: number
}

/** A change as the outbox has it. */
export interface CommittedChange extends DataChange {
  /** Figures of tokens that it changes. What it changes otherwise about a token is in the cache tags. */
  tokens: ChangedTokens
}

/** The process's live bus: LiveEvents with commit notification and shutdown. */
export interface LiveBus extends LiveEvents {
  /** The changes of data that this process knows. */
  readonly versions: DataVersions
  /**
   * Call after committing events: delivers them locally and notifies the other processes. `change` counts at once, so
   * that the next answer of this process shows it.
   */
  notifyCommitted(change?: DataChange): void
  /**
   * Delivers each change of data once, in seq order, after its commit. onLoss: a failover may have lost changes. Returns the
   * unsubscribe function.
   */
  subscribeToChanges(onChange: (change: CommittedChange) => void, onLoss: () => void): () => void
  close(): Promise<void>
}
