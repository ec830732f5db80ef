import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findPair } from '../../../db/queries/integrations/adapter.ts'
import { AppError } from '../../../errors.ts'
import { failures, notFound } from '../../../lib/openapi/failures.ts'
import { toPair } from '../../../records/integrations/to-pair.ts'
import { ref } from '../../../schemas/common.ts'
import { FeedPair, FeedPairQuery } from '../../../schemas/integrations/adapter.ts'
import type { AdapterOptions } from './options.ts'

const routes: FastifyPluginAsyncTypebox<AdapterOptions> = async (app, { reader, title }) => {
  app.get(
    '/pair',
    {
      schema: {
        operationId: `${reader}Pair`,
        tags: ['Integrations'],
        summary: `Get a pair for ${title}`,
        description:
          'A token’s address returns its curve; a pool’s address returns the Uniswap V2 pool of a graduated token. ' +
          'Both pairs have the same assets. A pair never changes. 404 for a pair of a hidden token.',
        querystring: FeedPairQuery,
        response: { 200: ref(FeedPair), ...failures(notFound('Pair', FeedPairQuery.properties.id)) },
      },
    },
    async ({ db, query: { id } }) => {
      const row = await findPair(db, id)
      if (!row) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Pair', id })
      return { pair: toPair(row, app.settings) }
    },
  )
}

export default routes
