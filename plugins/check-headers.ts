import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { AppError } from '../errors.ts'
import { endWithError } from './errors.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'] as const

/** Methods whose bodies are read. What a header says of the body of another method is ignored with that body. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PATCH', 'PUT', 'DELETE'])

/**
 * Rejects headers that ask for what is not supported: bodies in an encoding, and expectations. Registered after CORS and
 * the limiter, so that a preflight is not held to headers of a body, and a rejection is counted and readable in a browser.
 */
export default fp(
  async (app) => {
    app.addHook('onRequest', (request, _reply, done) => done(findUnsupportedHeader(request)))
    handleNodeDefaults(app)
  },
  { name: 'check-headers', dependencies: ['errors'] },
)

function findUnsupportedHeader({ method, headers }: FastifyRequest): AppError | undefined {
  if (!WITH_BODY.has(method)) return undefined
  const { expect, 'content-encoding': encoding = 'identity', 'transfer-encoding': coding = 'chunked' } = headers
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return new AppError('EXPECTATION_FAILED')
  // A compressed body could unfold to any size; no client of a JSON API needs to send one.
  if (encoding.toLowerCase() !== 'identity' || coding.toLowerCase() !== 'chunked')
    return new AppError('UNSUPPORTED_ENCODING')
  return undefined
}

/** Node answers some requests by itself, with an empty body or none: these are answered like all others. */
function handleNodeDefaults({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  server.on('connect', ({ method = 'CONNECT' }, socket) => {
    socket.on('error', () => socket.destroy())
    endWithError(socket, new AppError('METHOD_NOT_ALLOWED', { method, allow: METHODS }), [
      `Allow: ${METHODS.join(', ')}`,
    ])
    ;(socket as Socket).destroySoon()
  })
}
