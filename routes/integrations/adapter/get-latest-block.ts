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
        summary: `Get the latest block for ${title}`,
        description:
          'Events up to this block are complete and final. Indexers read each block once, so blocks that a reorg ' +
          'could still change are excluded. FINALITY sets when a block is final.',
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
