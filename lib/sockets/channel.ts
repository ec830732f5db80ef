import type { JwtClaims } from '../auth/token-claims.ts'
import type { LiveEvent } from '../live/live-events.ts'
import type { Connection } from './connection.ts'
import { frameEvent } from './frame.ts'

/** Frames of a room that are waiting to go out together. Past this many bytes they go at once. */
const BATCH_BYTES = 64 * 1024

/** By what right a socket is in a room that is not everybody's. */
export interface Grant {
  token: string
  claims: JwtClaims
  timer?: NodeJS.Timeout
}

/** Live events that wait until what was missed before them is sent. */
export interface EventBuffer {
  frames: { seq: number; frame: Buffer }[]
  bytes: number
  /** Some had to be let go: they must be read from the store after all. */
  overflowed: boolean
}

/** A socket's place in a room. */
export interface Subscription {
  readonly connection: Connection
  readonly channel: Channel
  readonly grant: Grant | null
  /** Null once the events of the room go straight to the socket. */
  buffer: EventBuffer | null
}

/** Who hears the events of one name. Every event becomes bytes once, however many hear it. */
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

  /** Takes an event in; tells how many messages have gone out because of it. */
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

  /** Sends what has gathered, in one write a socket. Tells how many messages that were. */
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

  /** Lets a socket hear what comes from now on. */
  add(subscription: Subscription): number {
    // What has gathered so far is not for those who come now.
    const sent = this.flush()
    if (subscription.buffer) this.#buffering.add(subscription)
    else this.#live.add(subscription.connection)
    return sent
  }

  /** Ends the holding back: first what was held and is newer than `after`, then whatever comes. */
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

  /** Lets a socket go, with what has gathered for it. */
  remove(subscription: Subscription): number {
    const sent = this.flush()
    this.#buffering.delete(subscription)
    this.#live.delete(subscription.connection)
    return sent
  }
}

export const createEventBuffer = (): EventBuffer => ({ frames: [], bytes: 0, overflowed: false })
