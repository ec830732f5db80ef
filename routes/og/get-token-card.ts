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
        summary: 'Link preview of a token',
        description:
          'A picture with the token’s name, price, market cap, last day and progress. For an unknown or malformed ' +
          'address, and for a token that an operator has hidden, it is the service’s own card, with status 200.',
        params: CardParams,
        querystring: CardQuery,
        response: { 200: CardImage, ...failures() },
      },
    },
    async (request, reply) => {
      const { ratio = '1.91:1' } = request.query
      const wanted = { ...(await readCard(request, request.params.address)), ratio }
      reply.headers({ etag: `"${app.cards.keyOf(wanted)}"`, 'cache-control': 'public, max-age=60' })
      // Who has it is answered 304 on the way out, and nothing is drawn for them.
      if (matchesTag(request.headers['if-none-match'], String(reply.getHeader('etag')))) return reply.send('')
      const { png, key, fresh } = await app.cards.draw(wanted)
      // What stands in for a card must not outlast the reason.
      if (!fresh) reply.headers({ etag: `"${key}"`, 'cache-control': 'public, max-age=5' })
      return reply.type('image/png').send(png)
    },
  )
}

export default routes
