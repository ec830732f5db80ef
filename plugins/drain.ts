import { Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Stops accepting connections and lets the clients end those that they have: each is closed after its next response. Resolves
     * when none is left, or after some time at the latest; then close() ends what is left. WebSockets are not affected.
     */
    leaveClients(options: { atMostMs: number; signal?: AbortSignal }): Promise<void>
  }
}

const CHECK_MS = 50

/**
 * Adds hooks that close keep-alive connections while the server shuts down. Fastify closes idle connections only once;
 * a connection with a request in flight would otherwise stay open and delay the shutdown.
 */
export default fp(
  async (app) => {
    /** No connection takes another request. */
    let isLeaving = false
    let isClosing = false
    app.addHook('preClose', async () => {
      isLeaving = true
      isClosing = true
    })
    app.decorate('leaveClients', async ({ atMostMs, signal }) => {
      isLeaving = true
      // That of an HTTP server would close idle connections, also one on which a request is arriving.
      Server.prototype.close.call(app.server)
      const deadline = performance.now() + atMostMs
      while (app.connections.counts().http > 0 && performance.now() < deadline && !signal?.aborted)
        await pause(CHECK_MS)
    })
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (isLeaving) reply.header('connection', 'close')
      done(null, payload)
    })
    // For responses whose headers were sent before closing began. The connection is idle after this hook.
    app.addHook('onResponse', (_request, _reply, done) => {
      if (isClosing) setImmediate(() => app.server.closeIdleConnections())
      done()
    })
  },
  { name: 'drain', dependencies: ['connections'] },
)
