import type { JwtClaims } from '../auth/token-claims.ts'
import { toAddressKey } from '../http/address-key.ts'
import type { LiveEvent } from '../live/live-events.ts'
import { Channel, createEventBuffer, type Grant, type Subscription } from './channel.ts'
import { Connection, type DropReason, type Peer } from './connection.ts'

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
  channels: number
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
  readonly #subscriptions = new Map<Connection, Map<string, Subscription>>()
  readonly #channels = new Map<string, Channel>()
  readonly #addresses = new Map<string, number>()
  readonly #unflushed = new Set<Channel>()
  readonly #dropped: Record<DropReason, number> = { slow: 0, silent: 0, flood: 0 }
  #sent = 0

  constructor(limits: SocketLimits) {
    this.limits = limits
  }

  counts(): SocketCounts {
    return {
      sockets: this.#subscriptions.size,
      channels: this.#channels.size,
      sent: this.#sent,
      dropped: { ...this.#dropped },
    }
  }

  get connections(): Connection[] {
    return [...this.#subscriptions.keys()]
  }

  /** The places of a socket in rooms. None of one that is gone. */
  subscriptionsOf(connection: Connection): Subscription[] {
    return [...(this.#subscriptions.get(connection)?.values() ?? [])]
  }

  isSubscribed(connection: Connection, name: string): boolean {
    return this.#subscriptions.get(connection)?.has(name) === true
  }

  countChannels(connection: Connection): number {
    return this.#subscriptions.get(connection)?.size ?? 0
  }

  /** Whether one more socket may come: 'full' if this process has no room, 'crowded' if its address has enough of them. */
  admits(ip: string): 'yes' | 'full' | 'crowded' {
    if (this.closing || this.#subscriptions.size >= this.limits.maximum) return 'full'
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
    this.#subscriptions.set(connection, new Map())
    this.#addresses.set(address, (this.#addresses.get(address) ?? 0) + 1)
    return connection
  }

  /** Forgets a socket that is gone. */
  disconnect(connection: Connection): void {
    for (const subscription of this.subscriptionsOf(connection)) this.remove(subscription)
    if (!this.#subscriptions.delete(connection)) return
    const left = (this.#addresses.get(connection.address) ?? 1) - 1
    if (left > 0) this.#addresses.set(connection.address, left)
    else this.#addresses.delete(connection.address)
  }

  /** Hands an event to all who are in one of its rooms. Those of one turn of the event loop leave in one write. */
  publish(event: LiveEvent): void {
    for (const name of event.rooms) {
      const channel = this.#channels.get(name)
      if (!channel) continue
      this.#sent += channel.publish(event)
      if (this.#unflushed.size === 0) queueMicrotask(() => this.#flush())
      this.#unflushed.add(channel)
    }
  }

  #flush(): void {
    for (const channel of this.#unflushed) this.#sent += channel.flush()
    this.#unflushed.clear()
  }

  /**
   * Puts a socket into a room, at the very point of the stream at which the bus stands now. With `hold` the events that
   * come are kept for it until `release`. A grant ends by itself when its token does.
   */
  subscribe(
    connection: Connection,
    name: string,
    { grant = null, buffered = false }: SubscribeOptions = {},
  ): Subscription {
    this.unsubscribe(connection, name)
    const channel = this.#channels.get(name) ?? new Channel(name, this.limits.bufferBytes / 4)
    const subscription: Subscription = { connection, channel, grant, buffer: buffered ? createEventBuffer() : null }
    const places = this.#subscriptions.get(connection)
    // Leaving sends what has gathered, which a slow reader does not survive.
    if (!places) return subscription
    this.#sent += channel.add(subscription)
    places.set(name, subscription)
    // Only now: entering does the same to the others, and the last to go takes the room along.
    this.#channels.set(name, channel)
    if (grant) {
      const left = grant.claims.exp * 1000 - Date.now()
      grant.timer = setTimeout(() => this.revoke(subscription), Math.min(Math.max(left, 0), MAX_DELAY_MS)).unref()
    }
    return subscription
  }

  goLive(subscription: Subscription, after: number): void {
    if (this.has(subscription)) this.#sent += subscription.channel.goLive(subscription, after)
  }

  /** Whether a member still is one: it may have left, or come anew, while something was waited for. */
  has(subscription: Subscription): boolean {
    return this.#subscriptions.get(subscription.connection)?.get(subscription.channel.name) === subscription
  }

  /** Takes a socket out of a room, if it is in it. */
  unsubscribe(connection: Connection, name: string): void {
    const subscription = this.#subscriptions.get(connection)?.get(name)
    if (subscription) this.remove(subscription)
  }

  /** The same by its place: nothing if it has left, or come anew. */
  remove(subscription: Subscription): void {
    if (!this.has(subscription)) return
    const { connection, channel } = subscription
    this.#subscriptions.get(connection)?.delete(channel.name)
    clearTimeout(subscription.grant?.timer)
    this.#sent += channel.remove(subscription)
    if (channel.empty) this.#channels.delete(channel.name)
  }

  /** Puts a socket out of a room whose token is no longer good, and says so. */
  revoke(subscription: Subscription): void {
    if (!this.has(subscription)) return
    this.remove(subscription)
    const message = 'The token has expired or was revoked: sign in, and subscribe again'
    subscription.connection.send({ type: 'error', code: 'UNAUTHORIZED', message, room: subscription.channel.name })
  }

  /** Puts out all who are in by a token. */
  revokeToken({ jti }: Pick<JwtClaims, 'jti'>): void {
    for (const subscriptions of this.#subscriptions.values())
      for (const subscription of [...subscriptions.values()])
        if (subscription.grant?.claims.jti === jti) this.revoke(subscription)
  }

  /** Counts messages that went to a socket past its room: what it had missed. */
  countReplayed(messages: number): void {
    this.#sent += messages
  }
}

interface SubscribeOptions {
  grant?: Grant | null
  buffered?: boolean
}
