import fp from 'fastify-plugin'

/**
 * Lets go of connections while the server closes. It closes those that are idle at that moment by itself; one that has a
 * request in flight would be kept for the next request, and hold up the end of the process for as long.
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
    // Answers whose headers had left before. The connection is idle once this hook is over.
    app.addHook('onResponse', (_request, _reply, done) => {
      if (isClosing) setImmediate(() => app.server.closeIdleConnections())
      done()
    })
  },
  { name: 'drain' },
)
