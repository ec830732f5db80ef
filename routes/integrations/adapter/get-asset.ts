import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findAsset, findQuoteAsset, findWrappedNative } from '../../../db/queries/integrations/adapter.ts'
import { AppError } from '../../../errors.ts'
import { failures, notFound } from '../../../lib/openapi/failures.ts'
import { describeQuoteAsset, describeWrappedNative, toAsset } from '../../../records/integrations/to-asset.ts'
import { ref } from '../../../schemas/common.ts'
import { FeedAsset, FeedAssetQuery, FeedAssetWithDecimals } from '../../../schemas/integrations/adapter.ts'
import type { AdapterOptions } from './options.ts'

const routes: FastifyPluginAsyncTypebox<AdapterOptions> = async (app, { reader, title, withDecimals }) => {
  app.get(
    '/asset',
    {
      schema: {
        operationId: `${reader}Asset`,
        tags: ['Integrations'],
        summary: `Get an asset for ${title}`,
        description:
          'A token that was launched here, or an asset in which tokens are priced, such as the wrapped native coin. 404 for a hidden token.',
        querystring: FeedAssetQuery,
        response: {
          200: ref(withDecimals ? FeedAssetWithDecimals : FeedAsset),
          ...failures(notFound('Asset', FeedAssetQuery.properties.id)),
        },
      },
    },
    async ({ db, query: { id } }) => {
      const row = await findAsset(db, id)
      const asset = row && toAsset(row, app.settings)
      // Response schemas without `decimals` drop the field.
      if (asset) return { asset }
      if (id === (await findWrappedNative(db))) return { asset: describeWrappedNative(id, app.settings) }
      const quote = await findQuoteAsset(db, id)
      if (quote) return { asset: describeQuoteAsset(quote) }
      throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Asset', id })
    },
  )
}

export default routes
