import websocket, { type WebSocket } from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../config.ts'
import { AppError, isAppError } from '../errors.ts'
import { createSemaphore } from '../lib/concurrency/semaphore.ts'
import { startCatchUp } from '../lib/sockets/catch-up.ts'
import type { Subscription } from '../lib/sockets/channel.ts'
import type { Connection } from '../lib/sockets/connection.ts'
import { Heartbeat } from '../lib/sockets/heartbeat.ts'
import { SocketHub } from '../lib/sockets/hub.ts'
import { watchSockets } from '../lib/telemetry/watch-sockets.ts'
import { endWithError } from './errors.ts'

/** How long the peers have to answer a farewell before they are cut off. */
const DRAIN_MS = 2_000
/** How many sockets read what they have missed at a time. */
const MAX_CONCURRENT_REPLAYS = 8

export interface Sockets {
  hub: SocketHub
  /** Takes over a socket whose handshake is done; `onMessage` gets its text messages within the limits, one by one. */
  accept(ws: WebSocket, request: FastifyRequest, token: string | undefined, onMessage: OnMessage): void
  /** See startCatchUp. */
  catchUp(member: Subscription, since: number): Promise<() => Promise<void>>
}

/** Handles a message; `excess` says that it came past the limit. */
type OnMessage = (connection: Connection, text: string, excess: boolean) => Promise<void> | void

declare module 'fastify' {
  interface FastifyInstance {
    sockets: Sockets
  }
}

/** WebSockets: the upgrade, who is in which room, heartbeats, bounds and the farewell. The protocol is routes/live. */
export default fp<{ config: Pick<Config, 'sockets'> }>(
  async (app, { config }) => {
    const hub = new SocketHub(config.sockets)
    const heartbeat = new Heartbeat(hub, (connection) => checkGrants(app, hub, connection))
    const semaphore = createSemaphore({ concurrency: MAX_CONCURRENT_REPLAYS, queueSize: config.sockets.maximum })

    await app.register(websocket, {
      // Uncompressed: it would cost each socket a context of its own, and every event would be compressed once a socket.
      options: {
        perMessageDeflate: false,
        maxPayload: config.sockets.messageBytes,
        clientTracking: false,
        closeTimeout: DRAIN_MS,
        // No subprotocol is spoken, so none is agreed to.
        handleProtocols: () => false,
      } as object,
      errorHandler: (error, ws, request) => onError(error as NodeJS.ErrnoException, ws, request),
      preClose: (done) => void closeAllSockets(hub).then(() => done(), done),
    })

    // The library would answer a page.
    app.websocketServer.on('wsClientError', (_error, socket) =>
      endWithError(socket, new AppError('MALFORMED_HANDSHAKE'), ['Sec-WebSocket-Version: 13']),
    )

    const stops = [
      app.live.subscribe((event) => hub.publish(event)),
      app.onTokenRevoked((claims) => hub.revokeToken(claims)),
    ]
    app.addHook('onClose', async () => {
      for (const stop of stops) stop()
      heartbeat.stop()
    })

    watchSockets(app.metrics, hub)
    app.decorate('sockets', {
      hub,
      catchUp: (member, since) => startCatchUp({ hub, live: app.live, semaphore }, member, since),
      accept: (ws, request, token, onMessage) => {
        const connection = hub.connect({ ws, socket: request.raw.socket, address: request.ip, token })
        heartbeat.add(connection)
        app.connections.upgrade(request.raw.socket, request.ip, () => connection.drop('slow'))
        ws.on('pong', () => {
          connection.alive = true
        })
        ws.on('ping', () => void connection.countMessage())
        ws.on('close', () => {
          hub.disconnect(connection)
          heartbeat.remove(connection)
        })
        handleMessages(connection, request, onMessage)
        if (hub.closing) ws.close(1001, 'going away')
      },
    })
  },
  { name: 'sockets', dependencies: ['auth', 'connections', 'live-events', 'metrics'] },
)

/** Hands over the messages of a socket in their order, each after the one before it is done with. */
function handleMessages(connection: Connection, request: FastifyRequest, onMessage: OnMessage): void {
  const { ws } = connection
  let last = Promise.resolve()
  // A throw in here would have nobody to catch it, and end the process.
  const failSocket = (error: unknown) => {
    request.log.error({ err: error }, 'A socket’s message could not be handled')
    ws.close(1011, 'internal error')
  }
  ws.on('message', (data: Buffer, isBinary: boolean) => {
    try {
      if (!connection.open) return
      const within = connection.countMessage()
      if (!connection.open) return
      if (isBinary) ws.close(1003, 'text messages only')
      else if (!within) void onMessage(connection, data.toString(), true)
      else
        last = last
          .then(() => (connection.open ? onMessage(connection, data.toString(), false) : undefined))
          .catch(failSocket)
    } catch (error) {
      failSocket(error)
    }
  })
}

/** What the peer did wrong is no fault of ours: the library has closed the socket with the code that says what it was. */
function onError(error: NodeJS.ErrnoException, ws: WebSocket, request: FastifyRequest): void {
  const isPeerFault = error.code?.startsWith('WS_ERR_') || error.code === 'ECONNRESET' || error.code === 'EPIPE'
  request.log[isPeerFault ? 'debug' : 'error']({ err: error }, 'A socket failed')
  if (!isPeerFault) ws.terminate()
}

/** Puts a socket out of rooms whose token has become bad in a way that this process was not told of. */
function checkGrants(app: FastifyInstance, hub: SocketHub, connection: Connection): void {
  for (const subscription of hub.subscriptionsOf(connection)) {
    if (!subscription.grant) continue
    app.readToken(subscription.grant.token).catch((error: unknown) => {
      // While the cache is down nobody can tell; the token was good, and it expires by itself.
      if (isAppError(error, 'JWT_INVALID')) hub.revoke(subscription)
    })
  }
}

/** Tells every peer that this process goes away, so that it comes back elsewhere, and waits for their answers a while. */
async function closeAllSockets(hub: SocketHub): Promise<void> {
  hub.closing = true
  const open = hub.connections
  const { promise: timedOut, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, DRAIN_MS)
  const gone = open.map(({ ws }) => new Promise<void>((done) => void ws.once('close', () => done())))
  for (const { ws } of open) ws.close(1001, 'going away')
  await Promise.race([Promise.all(gone), timedOut])
  clearTimeout(timer)
  for (const { ws } of hub.connections) ws.terminate()
}
