import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findAsset, findWrappedNative } from '../../../db/queries/integrations/adapter.ts'
import { AppError } from '../../../errors.ts'
import { failures, notFound } from '../../../lib/openapi/failures.ts'
import { describeWrappedNative, toAsset } from '../../../records/integrations/to-asset.ts'
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
        description: 'A token that was launched here, or the wrapped native coin. 404 for a hidden token.',
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
      throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Asset', id })
    },
  )
}

export default routes
