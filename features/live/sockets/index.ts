import type { IncomingMessage } from 'node:http'
import websocket, { type WebSocket } from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../../../config/config.ts'
import { AppError, isAppError } from '../../../errors.ts'
import { createSemaphore } from '../../../lib/concurrency/semaphore.ts'
import { endWithError } from '../../../lib/http/end-with-error.ts'
import { startCatchUp } from './catch-up.ts'
import type { Subscription } from './channel.ts'
import type { Connection } from './connection.ts'
import { Heartbeat } from './heartbeat.ts'
import { SocketHub } from './hub.ts'
import { watchSockets } from './watch-sockets.ts'

/** Sockets whose peers do not answer a close frame within this time are terminated. */
const DRAIN_MS = 2_000
/** Sockets that may replay missed events at the same time. */
const MAX_CONCURRENT_REPLAYS = 8

export interface Sockets {
  hub: SocketHub
  /** Registers a connected socket; `onMessage` receives its text messages one by one. */
  accept(ws: WebSocket, request: FastifyRequest, token: string | undefined, onMessage: OnMessage): void
  /** Replays missed events after seq `since` to a subscription: see startCatchUp. */
  catchUp(member: Subscription, since: number): Promise<() => Promise<void>>
}

/** Handles a message; `excess` is true past the message limit. */
type OnMessage = (connection: Connection, text: string, excess: boolean) => Promise<void> | void

declare module 'fastify' {
  interface FastifyInstance {
    sockets: Sockets
  }
}

/**
 * Decorates the app with `sockets`: the upgrade, channel subscriptions, heartbeats, limits and shutdown. routes/live
 * implements the protocol.
 */
export default fp<{ config: Pick<Config, 'sockets'> }>(
  async (app, { config }) => {
    const hub = new SocketHub(config.sockets)
    const heartbeat = new Heartbeat(hub, (connection) => checkGrants(app, hub, connection))
    const semaphore = createSemaphore({ concurrency: MAX_CONCURRENT_REPLAYS, queueSize: config.sockets.maximum })

    await app.register(websocket, {
      // No compression: it would cost memory per socket, and compress each event once per socket.
      options: {
        perMessageDeflate: false,
        maxPayload: config.sockets.messageBytes,
        clientTracking: false,
        closeTimeout: DRAIN_MS,
        // No subprotocol is supported.
        handleProtocols: () => false,
      } as object,
      errorHandler: (error, ws, request) => onError(error as NodeJS.ErrnoException, ws, request),
      preClose: (done) => void closeAllSockets(hub).then(() => done(), done),
    })

    // Replaces the library's HTML response.
    app.websocketServer.on('wsClientError', (_error, socket) =>
      endWithError(socket, new AppError('MALFORMED_HANDSHAKE'), ['Sec-WebSocket-Version: 13']),
    )

    // The library does so only after its own onRequest hook: quotas and overload reject a handshake before it.
    app.addHook('onResponse', ({ raw }, _reply, done) => {
      if ((raw as IncomingMessage & { upgrade?: boolean }).upgrade) raw.socket.destroySoon()
      done()
    })

    const stops = [
      app.live.subscribe(
        (event) => hub.publish(event),
        () => hub.loseAll(),
      ),
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

/** Handles a socket's messages sequentially. */
function handleMessages(connection: Connection, request: FastifyRequest, onMessage: OnMessage): void {
  const { ws } = connection
  let last = Promise.resolve()
  // An uncaught error here would end the process.
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

/**
 * Protocol errors of the peer are logged at debug level: the library has already closed the socket with the right code.
 */
function onError(error: NodeJS.ErrnoException, ws: WebSocket, request: FastifyRequest): void {
  const isPeerFault = error.code?.startsWith('WS_ERR_') || error.code === 'ECONNRESET' || error.code === 'EPIPE'
  request.log[isPeerFault ? 'debug' : 'error']({ err: error }, 'A socket failed')
  if (!isPeerFault) ws.terminate()
}

/** Revokes subscriptions whose token was revoked by another process. */
function checkGrants(app: FastifyInstance, hub: SocketHub, connection: Connection): void {
  for (const subscription of hub.subscriptionsOf(connection)) {
    if (!subscription.grant) continue
    app.readToken(subscription.grant.token).catch((error: unknown) => {
      // While the cache is down, the check is skipped: tokens expire by themselves.
      if (isAppError(error, 'JWT_INVALID')) hub.revoke(subscription)
    })
  }
}

/** Sends close code 1001 to every peer, and waits for their close frames; the server ends the others after DRAIN_MS. */
async function closeAllSockets(hub: SocketHub): Promise<void> {
  hub.closing = true
  const open = hub.connections
  const gone = Promise.all(open.map(({ ws }) => new Promise<void>((done) => void ws.once('close', () => done()))))
  for (const { ws } of open) ws.close(1001, 'going away')
  await gone
}
