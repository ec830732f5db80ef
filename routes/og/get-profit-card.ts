import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { failures } from '../../lib/openapi/failures.ts'
import { CardImage, CardQuery, ProfitCardParams } from '../../schemas/og.ts'
import { readProfitCard } from './read-card.ts'
import { sendCard } from './send-card.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/pnl/:token/:wallet',
    {
      config: { bucket: 'read-heavy', needsDatabase: false },
      schema: {
        operationId: 'getProfitCard',
        tags: ['Integrations'],
        summary: 'Get the image of a wallet’s profit on a token',
        description:
          'An image to share: profit of sales and of what is held, in the quote asset and as a share of what was paid, with ' +
          'what was bought, sold and is held. For an unknown, malformed or hidden token, or a wallet that did not trade ' +
          'it, the service’s own card is returned with status 200.',
        params: ProfitCardParams,
        querystring: CardQuery,
        response: { 200: CardImage, ...failures() },
      },
    },
    async (request, reply) => {
      const { params, query } = request
      const { ratio = '1.91:1' } = query
      return sendCard(reply, { ...(await readProfitCard(request, params.token, params.wallet)), ratio })
    },
  )
}

export default routes
