import type { Socket } from 'node:net'
import type { WebSocket } from '@fastify/websocket'
import type { ServerMessage } from '../../../schemas/live.ts'
import { frameText } from './frame.ts'

/** Why a connection was dropped: it did not read, did not answer pings, or exceeded the message limit by far. */
export type DropReason = 'slow' | 'silent' | 'flood'

const OPEN = 1
/** Window of the message limit. */
const WINDOW_MS = 10_000

/** Snapshots of views: almost twice what the default SOCKET_VIEWS of 100 tokens take. */
const SNAPSHOT_BYTES = 2 * 1024 * 1024
const SNAPSHOT_WINDOW_MS = 60_000

export interface Peer {
  ws: WebSocket
  /** The transport below the WebSocket. */
  socket: Pick<Socket, 'write' | 'writableLength' | 'writableNeedDrain' | 'once' | 'off'>
  /** Client address for the connection limit. */
  address: string
  /** The unverified token of the handshake, used when a subscribe message has none. */
  token: string | undefined
}

interface Limits {
  bufferBytes: number
  messages: number
  onDrop: (connection: Connection, reason: DropReason) => void
}

/** One client connection: writes frames and enforces its limits. */
export class Connection {
  readonly ws: WebSocket
  readonly address: string
  readonly token: string | undefined
  /** Whether a pong arrived since the last ping. */
  alive = true
  readonly #socket: Peer['socket']
  readonly #limits: Limits
  #draining: Promise<void> | undefined
  #windowStart = 0
  #received = 0
  #snapshotsSince = Number.NEGATIVE_INFINITY
  #snapshotBytes = 0

  constructor({ ws, socket, address, token }: Peer, limits: Limits) {
    this.ws = ws
    this.address = address
    this.token = token
    this.#socket = socket
    this.#limits = limits
  }

  get open(): boolean {
    return this.ws.readyState === OPEN
  }

  /**
   * Writes whole frames, or drops a connection with too many unread bytes. Bypasses ws's sender, which would build a header for
   * each connection. The order holds because compression is off: ws then writes its own frames (ping, close) at once.
   */
  write(frames: Buffer): boolean {
    if (!this.open) return false
    if (this.#socket.writableLength > this.#limits.bufferBytes) {
      this.drop('slow')
      return false
    }
    this.#socket.write(frames)
    return true
  }

  send(message: ServerMessage): void {
    this.write(frameText(JSON.stringify(message)))
  }

  /** Terminates without a close frame: a peer that does not read would not read that either. */
  drop(reason: DropReason): void {
    if (!this.open) return
    this.ws.terminate()
    this.#limits.onDrop(this, reason)
  }

  ping(): void {
    if (!this.open) return
    if (this.#socket.writableLength > this.#limits.bufferBytes) this.drop('slow')
    else this.ws.ping()
  }

  /** Counts a snapshot that is to be sent. False if it exceeds the bytes of a minute. */
  countSnapshot(bytes: number): boolean {
    const now = performance.now()
    if (now - this.#snapshotsSince >= SNAPSHOT_WINDOW_MS) {
      this.#snapshotsSince = now
      this.#snapshotBytes = 0
    }
    if (this.#snapshotBytes + bytes > SNAPSHOT_BYTES) return false
    this.#snapshotBytes += bytes
    return true
  }

  /** Counts a received message. False above the limit; far above it, the connection is dropped. */
  countMessage(): boolean {
    const now = performance.now()
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now
      this.#received = 0
    }
    this.#received++
    if (this.#received > this.#limits.messages * 10) this.drop('flood')
    // Each message causes a response, even a ping.
    else if (this.#socket.writableLength > this.#limits.bufferBytes) this.drop('slow')
    return this.open && this.#received <= this.#limits.messages
  }

  /**
   * Resolves when the write buffer has drained, or the connection has closed. All callers share one pair of listeners: each replay of
   * a subscription waits, and Node warns of more than ten.
   */
  async drained(): Promise<void> {
    if (!this.open || !this.#socket.writableNeedDrain) return
    this.#draining ??= new Promise<void>((resolve) => {
      const finish = () => {
        this.#socket.off('drain', finish)
        this.#socket.off('close', finish)
        this.#draining = undefined
        resolve()
      }
      this.#socket.once('drain', finish)
      this.#socket.once('close', finish)
    })
    await this.#draining
  }
}
