export interface LiveEvent {
  seq: number
  rooms: readonly string[]
  type: string
  data: string /* JSON text */
}

export interface LiveEvents {
  /** Each event once, in seq order, after its commit. Returns how to stop. */
  subscribe(listener: (event: LiveEvent) => void): () => void
  /** Events of a room after `since`, oldest first, at most `limit`. complete=false: some after `since` have been trimmed already. */
  replay(channel: string, since: number, limit: number): Promise<{ events: LiveEvent[]; complete: boolean }>
  /** seq of the last event given to listeners. */
  readonly head: number
}

/** What the process holds: it alone says when there may be something new, and when to stop. */
export interface LiveBus extends LiveEvents {
  /** Something was announced and committed by this process: hear it now, and let the other processes know. */
  notifyCommitted(): void
  close(): Promise<void>
}
