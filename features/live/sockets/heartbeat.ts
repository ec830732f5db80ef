import type { Connection } from './connection.ts'
import type { SocketHub } from './hub.ts'

/** Slots per period. Each pings its share of connections, so that pings do not come in bursts. */
const SLOTS = 10

/**
 * Pings every connection once per period, and drops those that did not answer the previous ping. Calls `onPing` after each
 * ping, for periodic checks. The timer only runs while there are connections.
 */
export class Heartbeat {
  readonly #hub: SocketHub
  readonly #onPing: (connection: Connection) => void
  readonly #slots = Array.from({ length: SLOTS }, () => new Set<Connection>())
  #next = 0
  #timer: NodeJS.Timeout | undefined

  constructor(hub: SocketHub, onPing: (connection: Connection) => void) {
    this.#hub = hub
    this.#onPing = onPing
  }

  add(connection: Connection): void {
    // The slot just served: a new connection gets its first ping after a whole period.
    this.#slots[(this.#next + SLOTS - 1) % SLOTS]?.add(connection)
    this.#timer ??= setInterval(() => this.#pingNextSlot(), this.#hub.limits.pingMs / SLOTS).unref()
  }

  remove(connection: Connection): void {
    for (const slot of this.#slots) if (slot.delete(connection)) break
    if (this.#hub.counts().sockets === 0) this.stop()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #pingNextSlot(): void {
    const slot = this.#slots[this.#next] as Set<Connection>
    this.#next = (this.#next + 1) % SLOTS
    for (const connection of [...slot]) {
      if (!connection.alive) connection.drop('silent')
      else {
        connection.alive = false
        connection.ping()
        this.#onPing(connection)
      }
    }
  }
}
