import type { Socket } from 'node:net'
import type { WebSocket } from '@fastify/websocket'
import type { ServerMessage } from '../../schemas/live.ts'
import { frameText } from './frame.ts'

/** Why a socket was cut off: it did not read, did not answer pings, or sent without end. */
export type DropReason = 'slow' | 'silent' | 'flood'

const OPEN = 1
/** The window of the message limit. */
const WINDOW_MS = 10_000

export interface Peer {
  ws: WebSocket
  /** What the frames travel on. */
  socket: Pick<Socket, 'write' | 'writableLength' | 'writableNeedDrain' | 'once' | 'off'>
  /** Whom the limit of sockets counts it to. */
  address: string
  /** The token of the handshake, unchecked; it stands in where a subscribe brings none. */
  token: string | undefined
}

interface Limits {
  bufferBytes: number
  messages: number
  onDrop: (connection: Connection, reason: DropReason) => void
}

/** One client: what it is sent goes through here, and so does every reason to be rid of it. */
export class Connection {
  readonly ws: WebSocket
  readonly address: string
  readonly token: string | undefined
  /** Whether it has answered since the last ping. */
  alive = true
  readonly #socket: Peer['socket']
  readonly #limits: Limits
  #windowStart = 0
  #received = 0

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
   * Sends whole frames; whoever has not read what went before is cut off instead. The bytes pass by the library's sender,
   * which would make a header anew for each socket. That keeps the order only because nothing is compressed: the
   * library then writes its own frames (pings, closes) at once as well, and never holds one back.
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

  /** Cut off without ceremony: a peer that does not read would not read a farewell either. */
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

  /** Counts what it sent; false when that is too much. One that goes on all the same, far past the limit, is cut off. */
  countMessage(): boolean {
    const now = performance.now()
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now
      this.#received = 0
    }
    this.#received++
    if (this.#received > this.#limits.messages * 10) this.drop('flood')
    // What it sends costs answers, those of the protocol's own pings included.
    else if (this.#socket.writableLength > this.#limits.bufferBytes) this.drop('slow')
    return this.open && this.#received <= this.#limits.messages
  }

  /** Resolves once the peer has taken what it was sent, or is gone. */
  async drained(): Promise<void> {
    if (!this.open || !this.#socket.writableNeedDrain) return
    await new Promise<void>((resolve) => {
      const finish = () => {
        this.#socket.off('drain', finish)
        this.#socket.off('close', finish)
        resolve()
      }
      this.#socket.once('drain', finish)
      this.#socket.once('close', finish)
    })
  }
}
