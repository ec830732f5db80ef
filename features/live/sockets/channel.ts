import type { JwtClaims } from '../../../lib/auth/token-claims.ts'
import type { LiveEvent } from '../live-event.ts'
import type { Connection } from './connection.ts'
import { frameEvent } from './frame.ts'

/** Frames of a channel are batched until the end of the tick, or until this many bytes. */
const BATCH_BYTES = 64 * 1024

/** The authorisation of a subscription to a private channel. */
export interface Grant {
  token: string
  claims: JwtClaims
  timer?: NodeJS.Timeout
}

/** Holds live events until the replay of earlier ones is sent. */
export interface EventBuffer {
  frames: { seq: number; frame: Buffer }[]
  bytes: number
  /** Frames were dropped: read these events from the store. */
  overflowed: boolean
}

/** A connection's subscription to a channel. */
export interface Subscription {
  readonly connection: Connection
  readonly channel: Channel
  readonly grant: Grant | null
  /** Null once live events are written directly. */
  buffer: EventBuffer | null
}

/** The subscriptions to one channel. Each event is serialised once for all of them. */
export class Channel {
  readonly name: string
  readonly #maxBufferBytes: number
  readonly #live = new Set<Connection>()
  readonly #buffering = new Set<Subscription>()
  #frames: Buffer[] = []
  #bytes = 0

  constructor(name: string, maxBufferBytes: number) {
    this.name = name
    this.#maxBufferBytes = maxBufferBytes
  }

  get empty(): boolean {
    return this.#live.size === 0 && this.#buffering.size === 0
  }

  /** Adds an event to the batch. Returns the number of messages sent by a flush. */
  publish(event: LiveEvent): number {
    const frame = frameEvent(event, this.name)
    for (const { buffer } of this.#buffering) if (buffer) this.#addToBuffer(buffer, event.seq, frame)
    if (this.#live.size === 0) return 0
    this.#frames.push(frame)
    this.#bytes += frame.length
    return this.#bytes > BATCH_BYTES ? this.flush() : 0
  }

  #addToBuffer(buffer: EventBuffer, seq: number, frame: Buffer): void {
    if (buffer.overflowed) return
    buffer.frames.push({ seq, frame })
    buffer.bytes += frame.length
    if (buffer.bytes <= this.#maxBufferBytes) return
    buffer.frames = []
    buffer.overflowed = true
  }

  /** Sends the batch in one write per connection. Returns the number of messages sent. */
  flush(): number {
    if (this.#frames.length === 0) return 0
    const [only, second] = this.#frames
    const bytes = only && !second ? only : Buffer.concat(this.#frames)
    const count = this.#frames.length
    this.#frames = []
    this.#bytes = 0
    let reached = 0
    for (const connection of this.#live) if (connection.write(bytes)) reached++
    return reached * count
  }

  /** Adds a subscription for later events. Returns the number of messages sent by the flush. */
  add(subscription: Subscription): number {
    // Earlier events in the batch are not for the new subscription.
    const sent = this.flush()
    if (subscription.buffer) this.#buffering.add(subscription)
    else this.#live.add(subscription.connection)
    return sent
  }

  /** Sends buffered events newer than `after`, then live events directly. Returns the number of messages sent. */
  goLive(subscription: Subscription, after: number): number {
    const buffer = subscription.buffer
    if (!buffer) return 0
    const sent = this.flush()
    const frames = buffer.frames.filter(({ seq }) => seq > after).map(({ frame }) => frame)
    this.#buffering.delete(subscription)
    subscription.buffer = null
    this.#live.add(subscription.connection)
    const written = frames.length > 0 && subscription.connection.write(Buffer.concat(frames))
    return sent + (written ? frames.length : 0)
  }

  /** Removes a subscription after sending its batch. Returns the number of messages sent. */
  remove(subscription: Subscription): number {
    const sent = this.flush()
    this.#buffering.delete(subscription)
    this.#live.delete(subscription.connection)
    return sent
  }
}

export const createEventBuffer = (): EventBuffer => ({ frames: [], bytes: 0, overflowed: false })
