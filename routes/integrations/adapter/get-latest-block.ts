import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { exemplify, failures } from '../../../lib/openapi/failures.ts'
import { ref } from '../../../schemas/common.ts'
import { FeedLatestBlock } from '../../../schemas/integrations/adapter.ts'
import { getServedBlock } from './get-served-block.ts'
import type { AdapterOptions } from './options.ts'

const routes: FastifyPluginAsyncTypebox<AdapterOptions> = async (app, { reader, title }) => {
  app.get(
    '/latest-block',
    {
      schema: {
        operationId: `${reader}LatestBlock`,
        tags: ['Integrations'],
        summary: `The latest block that ${title} may read`,
        description:
          'Its events, and those of every block before it, are complete and final: a reader asks for each block once, ' +
          'so none is shown that a reorg could still change. FINALITY_DEPTH says how far behind the head that is.',
        response: { 200: ref(FeedLatestBlock), ...failures(exemplify('UNHEALTHY', { failed: ['indexer'] })) },
      },
    },
    async (request) => {
      const { number, time } = await getServedBlock(request.db)
      return { block: { blockNumber: number, blockTimestamp: time } }
    },
  )
}

export default routes
