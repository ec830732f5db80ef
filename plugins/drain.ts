import fp from 'fastify-plugin'

/**
 * Adds hooks that close keep-alive connections while the server shuts down. Fastify closes idle connections only once;
 * a connection with a request in flight would otherwise stay open and delay the shutdown.
 */
export default fp(
  async (app) => {
    let isClosing = false
    app.addHook('preClose', async () => {
      isClosing = true
    })
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (isClosing) reply.header('connection', 'close')
      done(null, payload)
    })
    // For responses whose headers were sent before closing began. The connection is idle after this hook.
    app.addHook('onResponse', (_request, _reply, done) => {
      if (isClosing) setImmediate(() => app.server.closeIdleConnections())
      done()
    })
  },
  { name: 'drain' },
)
