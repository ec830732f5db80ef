import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

/** A way to the service that can break. */
export interface Relay {
  url: string
  /** Ends every connection there is, without a word of goodbye. */
  cut(): void
  /** Refuses new connections, or takes them again. */
  isClosed: boolean
}

export async function startRelay(t: Test, target: string): Promise<Relay> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((inner) => {
    if (relay.isClosed) return inner.destroy()
    const outer = connect(Number(port), hostname)
    for (const [one, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const relay: Relay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    isClosed: false,
  }
  t.teardown(() => {
    relay.cut()
    server.close()
  })
  return relay
}
