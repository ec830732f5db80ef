import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export const CONNECTION = Symbol('connection')
export const BODY_BYTES = Symbol('bytes of the body')

export type TrackedSocket = Socket & { [CONNECTION]?: TrackedConnection | undefined }
export type TrackedResponse = ServerResponse & { [BODY_BYTES]?: number }

/** The part of a socket's handle that tells how much the kernel has accepted; net.Socket's own time-out reads it too. */
type Handle = { bytesWritten: number; writeQueueSize: number } | null | undefined

/** All connections that are counted together: those of one client address, or of one proxy. */
export class PeerGroup {
  readonly key: string
  /** False for a proxy, whose connections carry many clients. */
  readonly bounded: boolean
  readonly httpConnections = new Set<TrackedConnection>()
  size = 0
  unread = 0

  constructor(key: string, bounded: boolean) {
    this.key = key
    this.bounded = bounded
  }
}

/** What is known of one connection. */
export class TrackedConnection {
  readonly socket: Socket
  group: PeerGroup
  /** Runs when it is cut; only a WebSocket has one. */
  onCut: (() => void) | undefined
  /** When it last owed a response, or was opened. */
  idleSince: number
  /** Bytes that its peer has not accepted. */
  unread = 0
  /** How long there have been such bytes. */
  waitingMs = 0
  /** How long its peer has accepted none of them. */
  stalledMs = 0
  /** How long ago this side ended. */
  endedMs = 0
  readonly #responses: TrackedResponse[] = []
  #accepted = 0

  constructor(socket: Socket, account: PeerGroup, now: number) {
    this.socket = socket
    this.group = account
    this.idleSince = now
  }

  /** Responses that are not written in full. */
  get pendingResponses(): number {
    const responses = this.#responses
    while (responses[0]?.writableFinished) responses.shift()
    return responses.length
  }

  /** Adds a response; returns how many are owed now. */
  push(response: TrackedResponse): number {
    this.#responses.push(response)
    return this.pendingResponses
  }

  clearResponses(): void {
    this.#responses.length = 0
  }

  /** Many unread bytes, for a long time, and without progress: the worst is cut first. */
  get cutPriority(): number {
    return this.unread * (1 + (this.waitingMs + this.stalledMs) / 1_000)
  }

  /** Reads how things stand. `elapsed` has passed since the last time. */
  measure(now: number, elapsed: number): void {
    const { socket } = this
    if (this.#responses.length > 0) this.idleSince = now
    if (socket.writableFinished) this.endedMs += elapsed
    const waiting = socket.writableLength
    this.unread = waiting + (this.pendingResponses > 0 ? this.#countUnwrittenBodies(waiting) : 0)
    this.waitingMs = this.unread > 0 ? this.waitingMs + elapsed : 0
    if (waiting === 0) this.stalledMs = 0
    else this.#measureProgress(elapsed)
  }

  /** Bytes that wait elsewhere than in the socket: only the first response writes to it, and one that is compressed comes by and by. */
  #countUnwrittenBodies(waiting: number): number {
    let held = 0
    for (const [at, response] of this.#responses.entries()) {
      const body = response[BODY_BYTES] ?? 0
      held += at === 0 ? Math.max(0, body - waiting) : Math.max(body, response.writableLength)
    }
    return held
  }

  /** A write of many bytes stays in writableLength until its last byte is accepted, so the kernel's own count is read. */
  #measureProgress(elapsed: number): void {
    const handle = (this.socket as unknown as { _handle: Handle })._handle
    const accepted = handle ? handle.bytesWritten - handle.writeQueueSize : this.#accepted
    this.stalledMs = accepted === this.#accepted ? this.stalledMs + elapsed : 0
    this.#accepted = accepted
  }
}
