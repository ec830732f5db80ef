import type { JwtClaims } from '../../../lib/auth/token-claims.ts'
import { toAddressKey } from '../../../lib/http/address-key.ts'
import type { LiveEvent } from '../live-event.ts'
import { Channel, createEventBuffer, type Grant, type Subscription } from './channel.ts'
import { Connection, type DropReason, type Peer } from './connection.ts'

/** Limits on the WebSockets of this process. */
export interface SocketLimits {
  maximum: number
  perAddress: number
  rooms: number
  /** Live views of a socket, which are channels, too. */
  views: number
  messages: number
  messageBytes: number
  pingMs: number
  bufferBytes: number
}

export interface SocketCounts {
  /** Open WebSockets, and channels with subscriptions. */
  sockets: number
  channels: number
  /** Event messages sent, and connections dropped by reason, since the start. */
  sent: number
  dropped: Record<DropReason, number>
}

/** Maximum delay of setTimeout. */
const MAX_DELAY_MS = 2_147_483_647

/** Maps connections to channels and delivers events from the bus. Independent of message format and domain. */
export class SocketHub {
  readonly limits: SocketLimits
  /** Set during shutdown: new connections are rejected. */
  closing = false
  /** Subscriptions of each connection, by channel name. */
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

  /** Subscriptions of a connection; none if it has closed. */
  subscriptionsOf(connection: Connection): Subscription[] {
    return [...(this.#subscriptions.get(connection)?.values() ?? [])]
  }

  isSubscribed(connection: Connection, name: string): boolean {
    return this.#subscriptions.get(connection)?.has(name) === true
  }

  /** Whether a channel has subscriptions. */
  isHeard(name: string): boolean {
    return this.#channels.has(name)
  }

  countChannels(connection: Connection): number {
    return this.#subscriptions.get(connection)?.size ?? 0
  }

  /** Whether to admit a connection: 'full' if the process is at its limit or closing, 'crowded' if the address is. */
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

  /** Removes a closed connection and its subscriptions. */
  disconnect(connection: Connection): void {
    for (const subscription of this.subscriptionsOf(connection)) this.remove(subscription)
    if (!this.#subscriptions.delete(connection)) return
    const left = (this.#addresses.get(connection.address) ?? 1) - 1
    if (left > 0) this.#addresses.set(connection.address, left)
    else this.#addresses.delete(connection.address)
  }

  /** Delivers an event to its channels. Events of one event-loop tick share a write. */
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
   * Subscribes a connection to a channel from the bus's current head. With `buffered`, events are held until goLive. A
   * subscription with a grant is revoked when its token expires.
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
    // unsubscribe() flushes the batch, which can drop a slow connection.
    if (!places) return subscription
    this.#sent += channel.add(subscription)
    places.set(name, subscription)
    // Set after add(): its flush can drop connections, and the last one to leave deletes the channel.
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

  /** Whether a subscription is still current: after an await, the connection may have left or subscribed again. */
  has(subscription: Subscription): boolean {
    return this.#subscriptions.get(subscription.connection)?.get(subscription.channel.name) === subscription
  }

  /** Ends a connection's subscription to a channel, if any. */
  unsubscribe(connection: Connection, name: string): void {
    const subscription = this.#subscriptions.get(connection)?.get(name)
    if (subscription) this.remove(subscription)
  }

  /** Ends a subscription, unless it has already ended or been replaced. */
  remove(subscription: Subscription): void {
    if (!this.has(subscription)) return
    const { connection, channel } = subscription
    this.#subscriptions.get(connection)?.delete(channel.name)
    clearTimeout(subscription.grant?.timer)
    this.#sent += channel.remove(subscription)
    if (channel.empty) this.#channels.delete(channel.name)
  }

  /** Ends a subscription whose token is no longer valid, and notifies the client. */
  revoke(subscription: Subscription): void {
    if (!this.has(subscription)) return
    this.remove(subscription)
    const message = 'The token has expired or was revoked: sign in, and subscribe again'
    subscription.connection.send({ type: 'error', code: 'UNAUTHORIZED', message, room: subscription.channel.name })
  }

  /** Revokes all subscriptions that were granted by a token. */
  revokeToken({ jti }: Pick<JwtClaims, 'jti'>): void {
    for (const subscriptions of this.#subscriptions.values())
      for (const subscription of [...subscriptions.values()])
        if (subscription.grant?.claims.jti === jti) this.revoke(subscription)
  }

  /** Ends all subscriptions, whose clients have to read the state again. */
  loseAll(): void {
    const message = 'Events may have been lost; subscribe again, and read the state'
    for (const [connection, subscriptions] of this.#subscriptions)
      for (const subscription of [...subscriptions.values()]) {
        this.remove(subscription)
        connection.send({ type: 'error', code: 'REPLAY_GAP', message, room: subscription.channel.name })
      }
  }

  /** Counts replayed messages, which bypass the channel. */
  countReplayed(messages: number): void {
    this.#sent += messages
  }
}

interface SubscribeOptions {
  grant?: Grant | null
  buffered?: boolean
}
