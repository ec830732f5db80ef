import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

/** A TCP proxy in front of a server: the network between it and the service. */
export interface Link {
  /** The server's URL with the address of this proxy. */
  url: string
  /** Ends all connections. */
  cut(): void
  /** New connections end at once until restore(). */
  refuse(): void
  /** Nothing is carried, in either direction, until restore(). */
  stall(): void
  restore(): void
}

export async function startLink(t: Pick<Test, 'teardown'>, target: string): Promise<Link> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let mode: 'open' | 'refuse' | 'stall' = 'open'
  const server = createServer((client) => {
    if (mode === 'refuse') return void client.destroy()
    const upstream = connect(Number(port), hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.setNoDelay(true)
      sockets.add(one)
      one.on('error', () => {})
      one.on('data', (chunk) => {
        if (!other.write(chunk)) one.pause()
      })
      one.on('drain', () => mode !== 'stall' && other.resume())
      one.on('end', () => other.end())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      if (mode === 'stall') one.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(() => {
    cut()
    server.close()
  })
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cut,
    refuse: () => {
      mode = 'refuse'
    },
    stall: () => {
      mode = 'stall'
      for (const socket of sockets) socket.pause()
    },
    restore: () => {
      mode = 'open'
      for (const socket of sockets) socket.resume()
    },
  }
}
