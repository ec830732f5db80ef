// One side of the broadcast, in a separate process: the service, or a bare loop.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { frameText } from '../../features/live/sockets/frame.ts'
import type { SocketCounts } from '../../features/live/sockets/hub.ts'
import { liveEvents } from '../../schemas/tokens.ts'
import { createTestApp, testConfig } from '../../test/support/app.ts'
import { createTestEvents } from '../../test/support/live-events.ts'

/** slipway: the whole service. frame: a loop that writes one prebuilt frame to each socket. send: one that calls send(). */
export type Side = 'slipway' | 'frame' | 'send'

interface Broadcaster {
  port: number
  /** Sends events to all sockets. Resolves when the event-loop tick of the writes has ended. */
  broadcast: (events?: number) => Promise<void>
  counts?: () => SocketCounts
}

/** Events that can be replayed. */
const KEPT = 1_000

const side = process.argv[2] as Side
const data = liveEvents.trade.data.examples[0]
// Sequence numbers of equal length, so that all messages have equal length.
let seq = 1_000_000
const makeText = () => JSON.stringify({ type: 'trade', room: 'trades', seq: ++seq, data })

async function openService(): Promise<Broadcaster> {
  const live = createTestEvents(seq)
  const config = testConfig({ RATE_LIMITS: 'off', SOCKETS_MAX: '100000', SOCKET_PING_MS: '3600000' })
  const { app } = await createTestApp({ config, services: { live } })
  await app.listen({ port: 0, host: '0.0.0.0' })
  return {
    port: (app.server.address() as AddressInfo).port,
    broadcast: async (events = 1) => {
      for (let event = 0; event < events; event++) live.emit(['trades', 'token:nobody'], 'trade', data)
      live.trim(live.head - KEPT)
      await Promise.resolve()
    },
    counts: () => app.sockets.hub.counts(),
  }
}

async function openLoop(write: (sockets: Iterable<WebSocket>, text: string) => void): Promise<Broadcaster> {
  const server = createServer()
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  sockets.on('connection', (ws) => ws.on('message', () => ws.send('{"type":"subscribed"}')))
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, broadcast: async () => write(sockets.clients, makeText()) }
}

const open = {
  slipway: openService,
  frame: () =>
    openLoop((sockets, text) => {
      const frame = frameText(text)
      for (const ws of sockets) (ws as unknown as { _socket: Socket })._socket.write(frame)
    }),
  send: () =>
    openLoop((sockets, text) => {
      const bytes = Buffer.from(text)
      for (const ws of sockets) ws.send(bytes, { binary: false })
    }),
}[side]

const { port, broadcast, counts } = await open()
process.on('message', async ({ events }: { events?: number }) => {
  const start = process.hrtime.bigint()
  await broadcast(events)
  const loopMs = Number(process.hrtime.bigint() - start) / 1e6
  const { rss, heapUsed: heap } = process.memoryUsage()
  const bytes = frameText(makeText()).length
  const now = counts?.()
  process.send?.({ start: String(start), loopMs, bytes, rss, heap, sockets: now?.sockets, slow: now?.dropped.slow })
})
process.on('disconnect', () => process.exit())
process.send?.({ port })
