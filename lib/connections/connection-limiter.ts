import {
  BODY_BYTES,
  CONNECTION,
  PeerGroup,
  TrackedConnection,
  type TrackedResponse,
  type TrackedSocket,
} from './tracked-connection.ts'

export interface ConnectionLimits {
  /** HTTP connections at once; one that became a WebSocket no longer counts. */
  maximum: number
  perAddress: number
  /** Bytes that peers may leave unread: on all connections, and on those of one address. */
  unreadBytes: number
  unreadBytesPerAddress: number
  /** How long a peer may accept nothing while bytes wait for it. */
  stallMs: number
  /** How long a connection may stay open without a request. */
  idleMs: number
}

/** stalled: accepted nothing for stallMs. idle: gave way, or was idle too long. ended: the peer left its side open. */
export type CutReason = 'stalled' | 'unread_address' | 'unread_total' | 'pipelined' | 'idle' | 'ended'
/** Connections past a bound of an address or of the server, and responses for which there is no room. */
export type RejectionReason = 'connection_address' | 'connection_total' | 'response'

export interface ConnectionCounts {
  /** HTTP connections that are open. */
  http: number
  /** Bytes unread at present, on WebSockets as well. */
  unreadBytes: number
  /** Since the start. */
  cut: Record<CutReason, number>
  refused: Record<RejectionReason, number>
}

interface Options {
  limits: ConnectionLimits
  /** The key by which an address is counted; null for a proxy, whose connections carry many clients. */
  keyOf: (address: string | undefined) => string | null
  /** Runs after connections were cut for what their peers did not read. */
  onCut?: (connections: number) => void
}

const SWEEP_MS = 250
/** Responses that one connection may be owed. Node pauses a peer that pipelines only once responses have piled up. */
const PIPELINE_MAX = 64
/** How long a peer has to close its side once this side has ended. */
const ENDED_MS = 2_000
/** How long a connection must have been idle, or have left bytes unread, before it gives way to another. */
const EVICTION_GRACE_MS = 1_000
/** The stall limit while the server closes. */
const CLOSING_STALL_MS = 1_000
/** Refused connections that are kept until their peers have read why. More are closed at once. */
const MAX_REJECTED = 64

/**
 * Counts the connections of a server and the bytes that their peers leave unread, and cuts the worst of them. One timer
 * looks at all connections; what it costs a request is an entry in a list.
 */
export class ConnectionLimiter {
  readonly #limits: ConnectionLimits
  readonly #keyOf: Options['keyOf']
  readonly #onCut: Options['onCut']
  readonly #connections = new Set<TrackedConnection>()
  /** The entries that are neither WebSockets nor refused. */
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
  /** Bytes unread when last measured, and those of large responses since; so are those of accounts and entries. */
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

  /** Takes in a new connection, before which an idle one may have to give way; or returns why it is refused. */
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

  /** Adds a response that a connection is owed. */
  trackResponse(socket: TrackedSocket, response: TrackedResponse): void {
    const entry = socket[CONNECTION]
    if (entry && entry.push(response) > PIPELINE_MAX) this.#cut(entry, 'pipelined')
  }

  /**
   * Takes in the body of a large response, which is held as a whole until the last of it is written, compressed or not.
   * False: so much is unread at this address, or in all, that it must not be sent.
   */
  reserveBody(socket: TrackedSocket, response: TrackedResponse, bytes: number): boolean {
    const entry = socket[CONNECTION]
    if (!entry) return true
    const { group } = entry
    if (!this.#fits(group, bytes)) {
      const unread = this.#measure()
      // A peer that has just been written to may be about to read.
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

  /** Notes that a connection became a WebSocket of a client, whose address a proxy may have named. */
  upgrade(socket: TrackedSocket, address: string | undefined, onCut: () => void): void {
    const entry = socket[CONNECTION]
    if (!entry || !this.#http.delete(entry)) return
    this.#leaveGroup(entry)
    this.#joinGroup(entry, this.#findGroup(address))
    entry.onCut = onCut
    entry.clearResponses()
  }

  /** While the server closes, peers that do not read are cut sooner, so that they do not hold up the end of the process. */
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

  /** Closes the connection that has been idle the longest. A proxy keeps its own for the next client. */
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

  /** Looks at all connections. Returns those with unread bytes. */
  #measure(): TrackedConnection[] {
    const now = performance.now()
    // While the process itself stood still no peer was to blame.
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

  /** Cuts, the worst first, until so many bytes more would fit the bounds. Returns how many were cut. */
  #cutWorst(entries: TrackedConnection[], next?: PeerGroup, bytes = 0): number {
    const isOver = (account: PeerGroup) => this.#isOver(account, account === next ? bytes : 0)
    const isFull = () => this.#unread + bytes > this.#limits.unreadBytes
    if (!isFull() && !entries.some(({ group }) => isOver(group))) return 0
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
    // What the kernel holds for a peer that does not read would outlive an orderly end by minutes.
    if (entry.unread > 0 && socket.remoteAddress !== undefined) socket.resetAndDestroy()
    else socket.destroy()
    onCut?.()
  }
}
