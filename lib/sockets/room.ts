import type { Claims } from '../auth/token-claims.ts'
import type { LiveEvent } from '../live/live-events.ts'
import type { Connection } from './connection.ts'
import { frameEvent } from './frame.ts'

/** Frames of a room that are waiting to go out together. Past this many bytes they go at once. */
const BATCH_BYTES = 64 * 1024

/** By what right a socket is in a room that is not everybody's. */
export interface Grant {
  token: string
  claims: Claims
  timer?: NodeJS.Timeout
}

/** Live events that wait until what was missed before them is sent. */
export interface Held {
  frames: { seq: number; frame: Buffer }[]
  bytes: number
  /** Some had to be let go: they must be read from the store after all. */
  overflowed: boolean
}

/** A socket's place in a room. */
export interface Member {
  readonly connection: Connection
  readonly room: Room
  readonly grant: Grant | null
  /** Null once the events of the room go straight to the socket. */
  held: Held | null
}

/** Who hears the events of one name. Every event becomes bytes once, however many hear it. */
export class Room {
  readonly name: string
  readonly #maxHeld: number
  readonly #live = new Set<Connection>()
  readonly #holding = new Set<Member>()
  #frames: Buffer[] = []
  #bytes = 0

  constructor(name: string, maxHeld: number) {
    this.name = name
    this.#maxHeld = maxHeld
  }

  get empty(): boolean {
    return this.#live.size === 0 && this.#holding.size === 0
  }

  /** Takes an event in; tells how many messages have gone out because of it. */
  publish(event: LiveEvent): number {
    const frame = frameEvent(event, this.name)
    for (const { held } of this.#holding) if (held) this.#hold(held, event.seq, frame)
    if (this.#live.size === 0) return 0
    this.#frames.push(frame)
    this.#bytes += frame.length
    return this.#bytes > BATCH_BYTES ? this.flush() : 0
  }

  #hold(held: Held, seq: number, frame: Buffer): void {
    if (held.overflowed) return
    held.frames.push({ seq, frame })
    held.bytes += frame.length
    if (held.bytes <= this.#maxHeld) return
    held.frames = []
    held.overflowed = true
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
  enter(member: Member): number {
    // What has gathered so far is not for those who come now.
    const sent = this.flush()
    if (member.held) this.#holding.add(member)
    else this.#live.add(member.connection)
    return sent
  }

  /** Ends the holding back: first what was held and is newer than `after`, then whatever comes. */
  release(member: Member, after: number): number {
    const held = member.held
    if (!held) return 0
    const sent = this.flush()
    const frames = held.frames.filter(({ seq }) => seq > after).map(({ frame }) => frame)
    this.#holding.delete(member)
    member.held = null
    this.#live.add(member.connection)
    const written = frames.length > 0 && member.connection.write(Buffer.concat(frames))
    return sent + (written ? frames.length : 0)
  }

  /** Lets a socket go, with what has gathered for it. */
  exit(member: Member): number {
    const sent = this.flush()
    this.#holding.delete(member)
    this.#live.delete(member.connection)
    return sent
  }
}

export const startHolding = (): Held => ({ frames: [], bytes: 0, overflowed: false })
