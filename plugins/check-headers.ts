import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { AppError } from '../errors.ts'
import { endWithError } from '../lib/http/end-with-error.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Methods whose bodies are read. Body headers of other methods are ignored. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PATCH', 'PUT', 'DELETE'])

/** Node's parser also reads version lines of HTTP/0.9 and HTTP/2.0. */
export const isHttp1 = ({ httpVersion }: IncomingMessage): boolean => httpVersion === '1.1' || httpVersion === '1.0'

/**
 * Adds an onRequest hook that rejects other versions than HTTP/1.0 and 1.1, and unsupported Content-Encoding, Transfer-Encoding and Expect headers. Register it
 * after CORS and rate limits, so that rejections are counted and readable in a browser.
 */
export default fp(
  async (app) => {
    app.addHook('onRequest', (request, _reply, done) =>
      done(isHttp1(request.raw) ? findUnsupportedHeader(request) : new AppError('MALFORMED_REQUEST')),
    )
    handleNodeDefaults(app)
  },
  { name: 'check-headers', dependencies: ['errors'] },
)

function findUnsupportedHeader({ method, headers }: FastifyRequest): AppError | undefined {
  if (!WITH_BODY.has(method)) return undefined
  const { expect, 'content-encoding': encoding = 'identity', 'transfer-encoding': coding = 'chunked' } = headers
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return new AppError('EXPECTATION_FAILED')
  // Compressed request bodies are rejected: their decompressed size is unbounded.
  if (encoding.toLowerCase() !== 'identity' || coding.toLowerCase() !== 'chunked')
    return new AppError('UNSUPPORTED_ENCODING')
  return undefined
}

/** Node responds to some requests without a body; send an error envelope instead. */
function handleNodeDefaults({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  server.on('connect', (request, socket) => {
    socket.on('error', () => socket.destroy())
    const { method = 'CONNECT' } = request
    if (!isHttp1(request)) endWithError(socket, new AppError('MALFORMED_REQUEST'))
    else
      endWithError(socket, new AppError('METHOD_NOT_ALLOWED', { method, allow: METHODS }), [
        `Allow: ${METHODS.join(', ')}`,
      ])
    ;(socket as Socket).destroySoon()
  })
}
