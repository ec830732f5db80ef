import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export const CONNECTION = Symbol('connection')
export const BODY_BYTES = Symbol('bytes of the body')

export type TrackedSocket = Socket & { [CONNECTION]?: TrackedConnection | undefined }
export type TrackedResponse = ServerResponse & { [BODY_BYTES]?: number }

/** Fields of a socket's internal handle that show how much the kernel accepted; net.Socket's timeout uses them too. */
type Handle = { bytesWritten: number; writeQueueSize: number } | null | undefined

/** Connections that share limits: those of one client address, or of one proxy. */
export class PeerGroup {
  readonly key: string
  /** False for a proxy, which carries many clients. */
  readonly bounded: boolean
  readonly httpConnections = new Set<TrackedConnection>()
  size = 0
  unread = 0

  constructor(key: string, bounded: boolean) {
    this.key = key
    this.bounded = bounded
  }
}

export class TrackedConnection {
  readonly socket: Socket
  group: PeerGroup
  /** Called when it is cut; only set for WebSockets. */
  onCut: (() => void) | undefined
  /** Time of its last pending response, or of its opening. */
  idleSince: number
  /** Bytes that the peer has not accepted. */
  unread = 0
  /** How long there have been unread bytes. */
  waitingMs = 0
  /** How long the peer has accepted none of them. */
  stalledMs = 0
  /** Time since this side ended. */
  endedMs = 0
  readonly #responses: TrackedResponse[] = []
  #accepted = 0

  constructor(socket: Socket, account: PeerGroup, now: number) {
    this.socket = socket
    this.group = account
    this.idleSince = now
  }

  /** Number of responses that are not fully written. */
  get pendingResponses(): number {
    this.#dropFinished()
    return this.#responses.length
  }

  /** Adds a response. Returns the number of pending ones. */
  push(response: TrackedResponse): number {
    this.#responses.push(response)
    return this.pendingResponses
  }

  clearResponses(): void {
    this.#responses.length = 0
  }

  /** Grows with unread bytes, waiting time and stall time; the highest is cut first. */
  get cutPriority(): number {
    return this.unread * (1 + (this.waitingMs + this.stalledMs) / 1_000)
  }

  /** Updates the measurements. `elapsed`: milliseconds since the last call. */
  measure(now: number, elapsed: number): void {
    const { socket } = this
    if (this.#responses.length > 0) this.idleSince = now
    if (socket.writableFinished) this.endedMs += elapsed
    const waiting = socket.writableLength
    this.unread = waiting + this.#countUnwrittenBodies(waiting)
    this.waitingMs = this.unread > 0 ? this.waitingMs + elapsed : 0
    if (waiting === 0) this.stalledMs = 0
    else this.#measureProgress(elapsed)
  }

  #dropFinished(): void {
    while (this.#responses[0]?.writableFinished) this.#responses.shift()
  }

  /** Body bytes outside the socket: only the first pending response writes to it, and compression writes in steps. */
  #countUnwrittenBodies(waiting: number): number {
    this.#dropFinished()
    let held = 0
    for (const [at, response] of this.#responses.entries()) {
      const body = response[BODY_BYTES] ?? 0
      held += at === 0 ? Math.max(0, body - waiting) : Math.max(body, response.writableLength)
    }
    return held
  }

  /** writableLength shrinks only when a whole write has been accepted, so this reads the handle's byte count. */
  #measureProgress(elapsed: number): void {
    const handle = (this.socket as unknown as { _handle: Handle })._handle
    const accepted = handle ? handle.bytesWritten - handle.writeQueueSize : this.#accepted
    this.stalledMs = accepted === this.#accepted ? this.stalledMs + elapsed : 0
    this.#accepted = accepted
  }
}
