import {
  BODY_BYTES,
  CONNECTION,
  PeerGroup,
  TrackedConnection,
  type TrackedResponse,
  type TrackedSocket,
} from './tracked-connection.ts'

export interface ConnectionLimits {
  /** Open HTTP connections, without upgraded WebSockets. */
  maximum: number
  perAddress: number
  /** Bytes that peers have not read: on all connections, and on those of one address. */
  unreadBytes: number
  unreadBytesPerAddress: number
  /** How long a peer may make no progress while bytes are unread. */
  stallMs: number
  /** Maximum time without a request. */
  idleMs: number
}

/** stalled: no progress for stallMs. idle: timed out, or evicted for a new connection. ended: the peer kept its half open. */
export type CutReason = 'stalled' | 'unread_address' | 'unread_total' | 'pipelined' | 'idle' | 'ended'
/** Connections above a limit, by address or in total, and responses that exceed the unread limits. */
export type RejectionReason = 'connection_address' | 'connection_total' | 'response'

export interface ConnectionCounts {
  /** Open HTTP connections, without WebSockets. */
  http: number
  /** Unread bytes now, including WebSockets. */
  unreadBytes: number
  /** Totals since the start. */
  cut: Record<CutReason, number>
  refused: Record<RejectionReason, number>
}

interface Options {
  limits: ConnectionLimits
  /** Groups connections by address; null for a trusted proxy, which carries many clients. */
  keyOf: (address: string | undefined) => string | null
  /** Called with the number of connections that were cut for unread bytes. */
  onCut?: (connections: number) => void
}

const SWEEP_MS = 250
/** Pending responses on one connection. Node pauses a pipelining peer only after responses have accumulated. */
const PIPELINE_MAX = 64
/** How long a peer may keep its half open after this side has ended. */
const ENDED_MS = 2_000
/** Minimum time idle, or with unread bytes, before eviction. */
const EVICTION_GRACE_MS = 1_000
/** stallMs during shutdown. */
const CLOSING_STALL_MS = 1_000
/** Rejected connections kept open until the response is read. Further ones are closed at once. */
const MAX_REJECTED = 64

/**
 * Limits a server's connections and their unread bytes, and cuts the worst offenders. One timer measures all connections, so
 * the cost for each request is one list entry.
 */
export class ConnectionLimiter {
  readonly #limits: ConnectionLimits
  readonly #keyOf: Options['keyOf']
  readonly #onCut: Options['onCut']
  readonly #connections = new Set<TrackedConnection>()
  /** Connections that are neither WebSockets nor rejected. */
  readonly #http = new Set<TrackedConnection>()
  readonly #rejected = new Set<TrackedConnection>()
  readonly #groups = new Map<string, PeerGroup>()
  readonly #cuts: ConnectionCounts['cut'] = {
    stalled: 0,
    unread_address: 0,
    unread_total: 0,
    pipelined: 0,
    idle: 0,
    ended: 0,
  }
  readonly #rejections: ConnectionCounts['refused'] = { connection_address: 0, connection_total: 0, response: 0 }
  #stallMs: number
  /** Unread bytes as last measured, plus large bodies reserved since. The same holds for groups and connections. */
  #unread = 0
  #timer: NodeJS.Timeout | undefined
  #measuredAt = 0

  constructor({ limits, keyOf, onCut }: Options) {
    this.#limits = limits
    this.#stallMs = limits.stallMs
    this.#keyOf = keyOf
    this.#onCut = onCut
  }

  counts(): ConnectionCounts {
    return {
      http: this.#http.size,
      unreadBytes: this.#unread,
      cut: { ...this.#cuts },
      refused: { ...this.#rejections },
    }
  }

  /** Registers a new connection, evicting an idle one if needed; or returns the reason to reject it. */
  admit(socket: TrackedSocket): RejectionReason | undefined {
    const account = this.#findGroup(socket.remoteAddress)
    const reason = this.#findRejection(account)
    const entry = new TrackedConnection(socket, account, performance.now())
    socket[CONNECTION] = entry
    this.#connections.add(entry)
    this.#joinGroup(entry, account)
    socket.once('close', () => this.#remove(entry))
    this.#timer ??= this.#start()
    if (reason) {
      this.#rejections[reason]++
      this.#rejected.add(entry)
      if (this.#rejected.size > MAX_REJECTED) this.#close(entry)
    } else {
      this.#http.add(entry)
      account.httpConnections.add(entry)
    }
    return reason
  }

  /** Registers a pending response. Cuts the connection if it pipelines too many. */
  trackResponse(socket: TrackedSocket, response: TrackedResponse): void {
    const entry = socket[CONNECTION]
    if (entry && entry.push(response) > PIPELINE_MAX) this.#cut(entry, 'pipelined')
  }

  /**
   * Reserves unread bytes for a large response body, which stays in memory until its last byte is written. False if that would
   * exceed a limit: the body must not be sent.
   */
  reserveBody(socket: TrackedSocket, response: TrackedResponse, bytes: number): boolean {
    const entry = socket[CONNECTION]
    if (!entry) return true
    const { group } = entry
    if (!this.#fits(group, bytes)) {
      const unread = this.#measure()
      // Spare peers that had no time to read yet.
      const slow = unread.filter(({ waitingMs }) => waitingMs >= EVICTION_GRACE_MS)
      if (bytes <= Math.min(this.#limits.unreadBytes, this.#limits.unreadBytesPerAddress))
        this.#cutWorst(slow, group, bytes)
      if (!this.#fits(group, bytes)) {
        this.#rejections.response++
        return false
      }
    }
    response[BODY_BYTES] = bytes
    this.#unread += bytes
    group.unread += bytes
    entry.unread += bytes
    return true
  }

  /** Converts a connection to a WebSocket. `address` is the client's, as named by a trusted proxy. */
  upgrade(socket: TrackedSocket, address: string | undefined, onCut: () => void): void {
    const entry = socket[CONNECTION]
    if (!entry || !this.#http.delete(entry)) return
    this.#leaveGroup(entry)
    this.#joinGroup(entry, this.#findGroup(address))
    entry.onCut = onCut
    entry.clearResponses()
  }

  /** Shortens stallMs, so that peers that do not read do not delay the shutdown. */
  startClosing(): void {
    this.#stallMs = Math.min(this.#stallMs, CLOSING_STALL_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #start(): NodeJS.Timeout {
    this.#measuredAt = performance.now()
    return setInterval(() => this.#sweep(), SWEEP_MS).unref()
  }

  #findGroup(address: string | undefined): PeerGroup {
    const key = this.#keyOf(address)
    const name = key ?? `proxy ${address}`
    return this.#groups.get(name) ?? new PeerGroup(name, key !== null)
  }

  #joinGroup(entry: TrackedConnection, account: PeerGroup): void {
    entry.group = account
    account.size++
    account.unread += entry.unread
    this.#groups.set(account.key, account)
  }

  #leaveGroup(entry: TrackedConnection): void {
    const { group } = entry
    group.httpConnections.delete(entry)
    group.unread -= entry.unread
    if (--group.size === 0) this.#groups.delete(group.key)
  }

  #remove(entry: TrackedConnection): void {
    if (!this.#connections.delete(entry)) return
    this.#http.delete(entry)
    this.#rejected.delete(entry)
    this.#leaveGroup(entry)
    this.#unread -= entry.unread
    if (this.#connections.size === 0) this.stop()
  }

  #findRejection(account: PeerGroup): RejectionReason | undefined {
    const { maximum, perAddress } = this.#limits
    if (account.bounded && account.httpConnections.size >= perAddress && !this.#closeIdle(account.httpConnections))
      return 'connection_address'
    if (this.#http.size >= maximum && !this.#closeIdle(this.#http)) return 'connection_total'
    return undefined
  }

  /** Closes the connection that has been idle longest. Proxy connections are kept: other clients will use them. */
  #closeIdle(entries: Iterable<TrackedConnection>): boolean {
    let oldest: TrackedConnection | undefined
    for (const entry of entries)
      if (entry.group.bounded && (!oldest || entry.idleSince < oldest.idleSince) && entry.pendingResponses === 0)
        oldest = entry
    if (!oldest || performance.now() - oldest.idleSince < EVICTION_GRACE_MS) return false
    this.#cut(oldest, 'idle')
    return true
  }

  #fits(account: PeerGroup, bytes: number): boolean {
    return !this.#isOver(account, bytes) && this.#unread + bytes <= this.#limits.unreadBytes
  }

  #isOver(account: PeerGroup, bytes: number): boolean {
    return account.bounded && account.unread + bytes > this.#limits.unreadBytesPerAddress
  }

  /** Measures all connections. Returns those with unread bytes. */
  #measure(): TrackedConnection[] {
    const now = performance.now()
    // Do not count a pause of this process against its peers.
    const elapsed = Math.min(now - this.#measuredAt, 2 * SWEEP_MS)
    this.#measuredAt = now
    this.#unread = 0
    for (const account of this.#groups.values()) account.unread = 0
    const unread: TrackedConnection[] = []
    for (const entry of this.#connections) {
      entry.measure(now, elapsed)
      if (entry.unread === 0) continue
      unread.push(entry)
      this.#unread += entry.unread
      entry.group.unread += entry.unread
    }
    return unread
  }

  #sweep(): void {
    let cut = 0
    const unread = this.#measure()
    for (const entry of unread)
      if (entry.stalledMs >= this.#stallMs) {
        this.#cut(entry, 'stalled')
        cut++
      }
    cut += this.#cutWorst(unread)
    if (cut > 0) this.#onCut?.(cut)
    const idleSince = this.#measuredAt - this.#limits.idleMs
    for (const entry of this.#connections)
      if (entry.endedMs > ENDED_MS) this.#cut(entry, 'ended')
      else if (entry.idleSince < idleSince && this.#http.has(entry)) this.#cut(entry, 'idle')
  }

  /** Cuts the worst connections until `bytes` more fit the limits. Returns the number of cuts. */
  #cutWorst(entries: TrackedConnection[], next?: PeerGroup, bytes = 0): number {
    const isOver = (account: PeerGroup) => this.#isOver(account, account === next ? bytes : 0)
    const isFull = () => this.#unread + bytes > this.#limits.unreadBytes
    let cut = 0
    for (const entry of entries.toSorted((a, b) => b.cutPriority - a.cutPriority)) {
      const reason = isOver(entry.group) ? 'unread_address' : isFull() ? 'unread_total' : undefined
      if (!reason || !this.#connections.has(entry)) continue
      this.#cut(entry, reason)
      cut++
    }
    return cut
  }

  #cut(entry: TrackedConnection, reason: CutReason): void {
    this.#cuts[reason]++
    this.#close(entry)
  }

  #close(entry: TrackedConnection): void {
    this.#remove(entry)
    const { socket, onCut } = entry
    // Reset: after an orderly close the kernel would keep unread bytes for minutes.
    if (entry.unread > 0 && socket.remoteAddress !== undefined) socket.resetAndDestroy()
    else socket.destroy()
    onCut?.()
  }
}
