import type { Connection } from './connection.ts'
import type { SocketHub } from './hub.ts'

/** A period is cut into this many beats, each for its share of the sockets: thousands of pings at once would be a jolt. */
const SLOTS = 10

/**
 * Pings every socket once a period, and cuts off those that have not answered the ping before. `visit` is told of each
 * socket once a period, for what must be looked at from time to time. The timer runs only while there are sockets.
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
    // The slot just visited: a newcomer has a whole period before its first ping.
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
