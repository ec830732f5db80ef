import type { Claims } from '../auth/token-claims.ts'
import { toAddressKey } from '../http/address-key.ts'
import type { LiveEvent } from '../live/live-events.ts'
import { Connection, type DropReason, type Peer } from './connection.ts'
import { type Grant, type Member, Room, startHolding } from './room.ts'

/** Bounds of the sockets of this process. */
export interface SocketLimits {
  maximum: number
  perAddress: number
  rooms: number
  messages: number
  messageBytes: number
  pingMs: number
  bufferBytes: number
}

export interface SocketCounts {
  /** Sockets that are open, and rooms that somebody is in. */
  sockets: number
  rooms: number
  /** Messages of events that went out, and sockets that were cut off, by reason; since the start. */
  sent: number
  dropped: Record<DropReason, number>
}

/** Longest that setTimeout can wait. */
const MAX_DELAY_MS = 2_147_483_647

/** Which socket is in which room. It knows no protocol and no domain: it carries events from the bus to the sockets. */
export class SocketHub {
  readonly limits: SocketLimits
  /** Set once the process is stopping: nobody is let in any more. */
  closing = false
  /** Of every socket, its places in rooms, by name of the room. */
  readonly #members = new Map<Connection, Map<string, Member>>()
  readonly #rooms = new Map<string, Room>()
  readonly #addresses = new Map<string, number>()
  readonly #waiting = new Set<Room>()
  readonly #dropped: Record<DropReason, number> = { slow: 0, silent: 0, flood: 0 }
  #sent = 0

  constructor(limits: SocketLimits) {
    this.limits = limits
  }

  counts(): SocketCounts {
    return {
      sockets: this.#members.size,
      rooms: this.#rooms.size,
      sent: this.#sent,
      dropped: { ...this.#dropped },
    }
  }

  get connections(): Connection[] {
    return [...this.#members.keys()]
  }

  /** The places of a socket in rooms. None of one that is gone. */
  membersOf(connection: Connection): Member[] {
    return [...(this.#members.get(connection)?.values() ?? [])]
  }

  isIn(connection: Connection, name: string): boolean {
    return this.#members.get(connection)?.has(name) === true
  }

  countRooms(connection: Connection): number {
    return this.#members.get(connection)?.size ?? 0
  }

  /** Whether one more socket may come: 'full' if this process has no room, 'crowded' if its address has enough of them. */
  admits(ip: string): 'yes' | 'full' | 'crowded' {
    if (this.closing || this.#members.size >= this.limits.maximum) return 'full'
    return (this.#addresses.get(toAddressKey(ip, undefined)) ?? 0) >= this.limits.perAddress ? 'crowded' : 'yes'
  }

  connect(peer: Peer): Connection {
    const address = toAddressKey(peer.address, undefined)
    const { bufferBytes, messages } = this.limits
    const onDrop = (dropped: Connection, reason: DropReason) => {
      this.#dropped[reason]++
      this.disconnect(dropped)
    }
    const connection = new Connection({ ...peer, address }, { bufferBytes, messages, onDrop })
    this.#members.set(connection, new Map())
    this.#addresses.set(address, (this.#addresses.get(address) ?? 0) + 1)
    return connection
  }

  /** Forgets a socket that is gone. */
  disconnect(connection: Connection): void {
    for (const member of this.membersOf(connection)) this.drop(member)
    if (!this.#members.delete(connection)) return
    const left = (this.#addresses.get(connection.address) ?? 1) - 1
    if (left > 0) this.#addresses.set(connection.address, left)
    else this.#addresses.delete(connection.address)
  }

  /** Hands an event to all who are in one of its rooms. Those of one turn of the event loop leave in one write. */
  publish(event: LiveEvent): void {
    for (const name of event.rooms) {
      const room = this.#rooms.get(name)
      if (!room) continue
      this.#sent += room.publish(event)
      if (this.#waiting.size === 0) queueMicrotask(() => this.#flush())
      this.#waiting.add(room)
    }
  }

  #flush(): void {
    for (const room of this.#waiting) this.#sent += room.flush()
    this.#waiting.clear()
  }

  /**
   * Puts a socket into a room, at the very point of the stream at which the bus stands now. With `hold` the events that
   * come are kept for it until `release`. A grant ends by itself when its token does.
   */
  join(connection: Connection, name: string, { grant = null, hold = false }: JoinOptions = {}): Member {
    this.leave(connection, name)
    const room = this.#rooms.get(name) ?? new Room(name, this.limits.bufferBytes / 4)
    const member: Member = { connection, room, grant, held: hold ? startHolding() : null }
    const places = this.#members.get(connection)
    // Leaving sends what has gathered, which a slow reader does not survive.
    if (!places) return member
    this.#sent += room.enter(member)
    places.set(name, member)
    // Only now: entering does the same to the others, and the last to go takes the room along.
    this.#rooms.set(name, room)
    if (grant) {
      const left = grant.claims.exp * 1000 - Date.now()
      grant.timer = setTimeout(() => this.expel(member), Math.min(Math.max(left, 0), MAX_DELAY_MS)).unref()
    }
    return member
  }

  release(member: Member, after: number): void {
    if (this.has(member)) this.#sent += member.room.release(member, after)
  }

  /** Whether a member still is one: it may have left, or come anew, while something was waited for. */
  has(member: Member): boolean {
    return this.#members.get(member.connection)?.get(member.room.name) === member
  }

  /** Takes a socket out of a room, if it is in it. */
  leave(connection: Connection, name: string): void {
    const member = this.#members.get(connection)?.get(name)
    if (member) this.drop(member)
  }

  /** The same by its place: nothing if it has left, or come anew. */
  drop(member: Member): void {
    if (!this.has(member)) return
    const { connection, room } = member
    this.#members.get(connection)?.delete(room.name)
    clearTimeout(member.grant?.timer)
    this.#sent += room.exit(member)
    if (room.empty) this.#rooms.delete(room.name)
  }

  /** Puts a socket out of a room whose token is no longer good, and says so. */
  expel(member: Member): void {
    if (!this.has(member)) return
    this.drop(member)
    const message = 'The token has expired or was revoked: sign in, and subscribe again'
    member.connection.send({ type: 'error', code: 'UNAUTHORIZED', message, room: member.room.name })
  }

  /** Puts out all who are in by a token. */
  expelToken({ jti }: Pick<Claims, 'jti'>): void {
    for (const members of this.#members.values())
      for (const member of [...members.values()]) if (member.grant?.claims.jti === jti) this.expel(member)
  }

  /** Counts messages that went to a socket past its room: what it had missed. */
  countReplayed(messages: number): void {
    this.#sent += messages
  }
}

interface JoinOptions {
  grant?: Grant | null
  hold?: boolean
}
