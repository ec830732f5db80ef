export interface LiveEvent {
  seq: number
  rooms: readonly string[]
  type: string
  data: string /* JSON text */
}

export interface LiveEvents {
  /** Delivers each event once, in seq order, after its commit. Returns the unsubscribe function. */
  subscribe(listener: (event: LiveEvent) => void): () => void
  /** Up to `limit` events of a channel after `since`, oldest first. complete=false: some of them have been trimmed. */
  replay(channel: string, since: number, limit: number): Promise<{ events: LiveEvent[]; complete: boolean }>
  /** seq of the last event delivered to listeners. */
  readonly head: number
}

/** The process's live bus: LiveEvents with commit notification and shutdown. */
export interface LiveBus extends LiveEvents {
  /** Call after committing events: delivers them locally and notifies the other processes. */
  notifyCommitted(): void
  close(): Promise<void>
}
