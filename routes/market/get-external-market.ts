import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AppError } from '../../errors.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { AddressParams, Envelope, ok, ref } from '../../schemas/common.ts'
import { ExternalMarket } from '../../schemas/market.ts'
import { describeSource } from './describe-source.ts'
import { externalMarketReasons } from './reasons.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/external/:address',
    {
      config: { bucket: 'read-heavy' },
      schema: {
        operationId: 'getExternalMarket',
        tags: ['Markets'],
        summary: 'Market data of a token that was not launched here',
        description:
          'A third party’s data, for display only: it is not settlement, and nothing here is computed from it. `stale` ' +
          'tells when it is older than it should be, which is when the third party is slow or down. A token that was ' +
          'launched here is 409: ask /tokens/{address}.',
        params: AddressParams,
        response: { 200: Envelope(ref(ExternalMarket)), ...failures(...externalMarketReasons) },
      },
    },
    async ({ params: { address } }) => {
      const held = await app.marketData.getMarket(address)
      if (held.value === null) throw new AppError('MARKET_NOT_FOUND', { address })
      return ok({ ...held.value, ...describeSource(app.marketData, held) })
    },
  )
}

export default routes
