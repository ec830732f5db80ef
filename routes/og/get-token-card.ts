import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { matchesTag } from '../../lib/http/caching-headers.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { CardImage, CardParams, CardQuery } from '../../schemas/og.ts'
import { readCard } from './read-card.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/token/:address',
    {
      config: { bucket: 'read-heavy', needsDatabase: false },
      schema: {
        operationId: 'getTokenCard',
        tags: ['Integrations'],
        summary: 'Get a token’s link preview image',
        description:
          'An image with the token’s name, price, market cap, progress, and chart and price change of the last 24 ' +
          'hours. For an unknown or malformed address, or a hidden token, the service’s own card is returned with ' +
          'status 200.',
        params: CardParams,
        querystring: CardQuery,
        response: { 200: CardImage, ...failures() },
      },
    },
    async (request, reply) => {
      const { ratio = '1.91:1' } = request.query
      const wanted = { ...(await readCard(request, request.params.address)), ratio }
      reply.headers({ etag: `"${app.cards.keyOf(wanted)}"`, 'cache-control': 'public, max-age=60' })
      // An onSend hook turns this into a 304; nothing is drawn.
      if (matchesTag(request.headers['if-none-match'], String(reply.getHeader('etag')))) return reply.send('')
      const { png, key, fresh } = await app.cards.draw(wanted)
      // A fallback card must not be cached longer than its cause lasts.
      if (!fresh) reply.headers({ etag: `"${key}"`, 'cache-control': 'public, max-age=5' })
      return reply.type('image/png').send(png)
    },
  )
}

export default routes
