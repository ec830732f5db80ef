import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { writeYaml } from '../../lib/json/write-yaml.ts'
import { channels, liveEvents } from '../../schemas/views.ts'
import type { Domain, DomainOptions } from '../domain.ts'
import { describeSocket } from './describe-socket.ts'
import { createMessageHandler, refuseExcess } from './handle-message.ts'
import { createChannelReader } from './read-channel.ts'

/** The WebSocket endpoint and its AsyncAPI document. */
const live: FastifyPluginAsync<DomainOptions> = async (app, { socket }) => {
  const handleMessage = createMessageHandler(app, createChannelReader(socket.channels))
  app.route({
    method: 'GET',
    url: '/ws',
    // Not in OpenAPI, which cannot describe a WebSocket; see asyncapi.yaml.
    schema: { hide: true },
    // The query can contain a token, which must not be logged.
    logSerializers: { req: ({ id, method, ip }: FastifyRequest) => ({ id, method, url: '/ws', remoteAddress: ip }) },
    preHandler: admit,
    handler: async () => {
      throw new AppError('UPGRADE_REQUIRED')
    },
    wsHandler: (ws, request) =>
      app.sockets.accept(ws, request, readToken(request), (connection, text, excess) =>
        excess ? refuseExcess(connection, text) : handleMessage(connection, text),
      ),
  })

  const document = describeSocket(app.settings, socket, Object.values(app.getSchemas()))
  const json = JSON.stringify(document)
  app.get('/asyncapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(json),
  )
  let yaml: string | undefined
  app.get('/asyncapi.yaml', { schema: { hide: true } }, async (_request, reply) => {
    yaml ??= writeYaml(document)
    return reply.type('application/yaml; charset=utf-8').send(yaml)
  })
}

export default {
  plugin: live,
  channels,
  events: liveEvents,
} satisfies Domain

/** Accepts or rejects a handshake. Synchronous, so two handshakes cannot take the same last connection slot. */
function admit({ ws, headers, ip, server }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  // ws also accepts version 8 and other spellings of 13.
  if (ws && headers['sec-websocket-version'] !== '13') done(new AppError('MALFORMED_HANDSHAKE'))
  else done(ws ? findObstacle(headers.origin, ip, server) : undefined)
}

function findObstacle(origin: string | undefined, ip: string, { settings, sockets }: FastifyInstance) {
  const { origins } = settings.sockets
  // Browsers always send an origin. Other clients have no cookies that another site could misuse.
  if (origin !== undefined && !origins.includes('*') && !origins.includes(origin)) return new AppError('ORIGIN_REFUSED')
  const answer = sockets.hub.admits(ip)
  if (answer === 'full') return new AppError('OVERLOADED', {}, { retryAfter: 5 })
  if (answer === 'crowded') return new AppError('RATE_LIMITED', { bucket: 'sockets' }, { retryAfter: 30 })
  return undefined
}

/** The token of the handshake, not verified here: an invalid one must not prevent the use of public channels. */
function readToken({ headers, query }: FastifyRequest): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  const { token } = query as { token?: unknown }
  return bearer ?? (typeof token === 'string' && token !== '' ? token : undefined)
}
