import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { failures } from '../../lib/openapi/failures.ts'
import { CardImage, CardParams, CardQuery } from '../../schemas/og.ts'
import { readTokenCard } from './read-card.ts'
import { sendCard } from './send-card.ts'

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
      return sendCard(reply, { ...(await readTokenCard(request, request.params.address)), ratio })
    },
  )
}

export default routes
