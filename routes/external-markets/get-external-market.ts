import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AppError } from '../../errors.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { AddressParams, Envelope, ok, ref } from '../../schemas/common.ts'
import { ExternalMarket } from '../../schemas/external-markets.ts'
import { describeSource } from './describe-source.ts'
import { externalMarketReasons, marketReasons } from './reasons.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/external/:address',
    {
      config: { bucket: 'read-heavy' },
      schema: {
        operationId: 'getExternalMarket',
        tags: ['Markets'],
        summary: 'Get market data of an external token',
        description:
          'Third-party data on a token that was not launched here. For display only, not for settlement; nothing ' +
          'here is computed from it. `stale` is true if the data is older than its freshness limit because the ' +
          'provider is slow or down. 409 for a token launched here: use /tokens/{address}.',
        params: AddressParams,
        response: { 200: Envelope(ref(ExternalMarket)), ...failures(...externalMarketReasons) },
      },
    },
    async ({ params: { address } }) => {
      const held = await app.externalMarkets.getMarket(address)
      if (held.value === null) throw new AppError(marketReasons.MARKET_NOT_FOUND, { address })
      return ok({ ...held.value, ...describeSource(app.externalMarkets, held) })
    },
  )
}

export default routes
