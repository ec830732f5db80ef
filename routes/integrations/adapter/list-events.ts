import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type BlockRange, listFeedEvents } from '../../../db/queries/integrations/adapter.ts'
import { AppError } from '../../../errors.ts'
import { exemplify, failures } from '../../../lib/openapi/failures.ts'
import { toFeedEvents } from '../../../records/integrations/to-feed-events.ts'
import { ref } from '../../../schemas/common.ts'
import { FeedEvents, FeedEventsQuery, feedLimits } from '../../../schemas/integrations/adapter.ts'
import { getServedBlock } from './get-served-block.ts'
import type { AdapterOptions } from './options.ts'

const routes: FastifyPluginAsyncTypebox<AdapterOptions> = async (app, { reader, title }) => {
  app.get(
    '/events',
    {
      config: { bucket: 'read-heavy', heavyRead: 'aggregate' },
      schema: {
        operationId: `${reader}Events`,
        tags: ['Integrations'],
        summary: `List events by block for ${title}`,
        description:
          'Swaps on curves and in pools, and liquidity that a graduation moves from curve to pool. At most ' +
          `${feedLimits.blocks} blocks per request. At most ${feedLimits.events} events, unless the range is one ` +
          'block; beyond that, 400 asks for fewer blocks. Excludes swaps with one amount rounded to zero, and ' +
          'swaps of hidden tokens.',
        querystring: FeedEventsQuery,
        response: { 200: ref(FeedEvents), ...failures(exemplify('UNHEALTHY', { failed: ['indexer'] })) },
      },
    },
    async ({ db, query: { fromBlock: from, toBlock: to } }) => {
      checkRange({ from, to }, (await getServedBlock(db)).number)
      // A single block must be readable whatever its number of events.
      const limit = from === to ? null : feedLimits.events + 1
      const rows = await listFeedEvents(db, { from, to, limit })
      if (limit !== null && rows.length >= limit)
        throw wrong('query.toBlock', `selects more than ${feedLimits.events} events; request fewer blocks`)
      return { events: rows.flatMap(toFeedEvents) }
    },
  )
}

export default routes

function checkRange({ from, to }: BlockRange, latest: number): void {
  if (from > to) throw wrong('query.fromBlock', 'must not be after query.toBlock')
  if (to > latest) throw wrong('query.toBlock', `must not be after the latest block, ${latest}`)
  if (to - from >= feedLimits.blocks)
    throw wrong('query.toBlock', `must select at most ${feedLimits.blocks} blocks from query.fromBlock`)
}

const wrong = (field: string, problem: string) => new AppError('INVALID_INPUT', { field, problem })
