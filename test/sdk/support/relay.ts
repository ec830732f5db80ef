import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

/** A way to the service that can break. */
export interface Relay {
  url: string
  /** Ends all breakable connections, without a closing handshake. */
  cut(): void
  /** Whether new breakable connections are refused. */
  isClosed: boolean
  /** Whether a breakable connection is open. */
  readonly isUsed: boolean
}

export interface RelayOptions {
  /** Only WebSockets can break: other requests always pass. */
  socketsOnly?: boolean
}

const HANDSHAKE = /^GET \S*\/ws[ ?]/

export async function startRelay(t: Test, target: string, { socketsOnly = false }: RelayOptions = {}): Promise<Relay> {
  const { hostname, port } = new URL(target)
  const breakable = new Set<Socket>()
  const all = new Set<Socket>()
  const server = createServer((inner) => {
    inner.on('error', () => {})
    // Browsers open a connection of its own for each WebSocket.
    inner.once('data', (first) => {
      const isBreakable = !socketsOnly || HANDSHAKE.test(first.toString('latin1'))
      if (isBreakable && relay.isClosed) return inner.destroy()
      const outer = connect(Number(port), hostname)
      outer.write(first)
      for (const [one, other] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        all.add(one)
        if (isBreakable) breakable.add(one)
        one.on('error', () => {})
        one.on('close', () => {
          all.delete(one)
          breakable.delete(one)
          other.destroy()
        })
        one.pipe(other)
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const relay: Relay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of breakable) socket.destroy()
    },
    isClosed: false,
    get isUsed() {
      return breakable.size > 0
    },
  }
  t.teardown(() => {
    for (const socket of all) socket.destroy()
    server.close()
  })
  return relay
}
