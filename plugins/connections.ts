import { BlockList, isIPv6, type Socket } from 'node:net'
import fp from 'fastify-plugin'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { ConnectionLimiter, type ConnectionLimits } from '../lib/connections/connection-limiter.ts'
import { toAddressKey } from '../lib/http/address-key.ts'
import { endWithError } from '../lib/http/end-with-error.ts'
import type { Metrics } from '../lib/telemetry/create-metrics.ts'
import { watchConnections } from '../lib/telemetry/watch-connections.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Limits open connections and the response bytes that their peers have not read. */
    connections: ConnectionLimiter
  }
}

/** Smaller bodies are not reserved: the limiter's next sweep counts them. */
export const LARGE_BYTES = 64 * 1024
const RETRY_SECONDS = 5

interface Options {
  limits: ConnectionLimits
  trustProxy: Config['trustProxy']
  /** Registry for the connection metrics. Omit it if another server of the process already registers them. */
  metrics?: Metrics
}

/**
 * Decorates the app with a connection limiter and adds an onSend hook that bounds unread response bytes, for HTTP and
 * WebSockets together.
 */
export default fp<Options>(
  async (app, { limits, trustProxy, metrics }) => {
    const isProxy = createProxyCheck(trustProxy)
    const connections = new ConnectionLimiter({
      limits,
      keyOf: (address) => (isProxy(address) ? null : toAddressKey(undefined, address)),
      onCut: (count) =>
        app.log.warn({ connections: count, ...connections.counts() }, 'Connections were cut: their peers do not read'),
    })
    app.decorate('connections', connections)

    app.server.on('connection', (socket: Socket) => {
      const reason = connections.admit(socket)
      if (reason && !socket.destroyed) reject(socket, reason === 'connection_address')
    })
    app.server.prependListener('request', ({ socket }, response) => connections.trackResponse(socket, response))
    app.addHook('onSend', (request, reply, payload, done) => {
      // Streams have backpressure and need no limit.
      const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
      if (bytes < LARGE_BYTES || connections.reserveBody(request.raw.socket, reply.raw, bytes))
        return done(null, payload)
      for (const name of ['etag', 'content-length', 'last-modified']) reply.removeHeader(name)
      done(new AppError('OVERLOADED', {}, { retryAfter: RETRY_SECONDS }))
    })
    app.addHook('preClose', async () => connections.startClosing())
    app.addHook('onClose', async () => connections.stop())

    if (metrics) watchConnections(metrics, connections)
  },
  { name: 'connections' },
)

/** Sends an error without reading the request. The limiter closes the socket once the peer had time to read it. */
function reject(socket: Socket, crowded: boolean): void {
  socket.pause()
  const retry = { retryAfter: RETRY_SECONDS }
  const error = crowded
    ? new AppError('RATE_LIMITED', { bucket: 'connections' }, retry)
    : new AppError('OVERLOADED', {}, retry)
  endWithError(socket, error, [`Retry-After: ${RETRY_SECONDS}`])
}

/** Whether an address is a trusted proxy. */
function createProxyCheck(trusted: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const cidr of trusted) {
    const [address = '', bits] = cidr.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) =>
    address !== undefined && trusted.length > 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
