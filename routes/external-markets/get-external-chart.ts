import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AppError } from '../../errors.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { AddressParams, Envelope, ok, ref } from '../../schemas/common.ts'
import { ExternalChart, ExternalChartQuery } from '../../schemas/external-markets.ts'
import { describeSource } from './describe-source.ts'
import { externalMarketReasons, marketReasons } from './reasons.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/external/:address/chart',
    {
      config: { bucket: 'read-heavy' },
      schema: {
        operationId: 'getExternalChart',
        tags: ['Markets'],
        summary: 'List candles of an external token',
        description:
          'Third-party candles in US dollars of a token that was not launched here. For display only, not for ' +
          'settlement. 409 for a token launched here: use /tokens/{address}/chart.',
        params: AddressParams,
        querystring: ExternalChartQuery,
        response: { 200: Envelope(ref(ExternalChart)), ...failures(...externalMarketReasons) },
      },
    },
    async ({ params: { address }, query: { interval = '1h' } }) => {
      const held = await app.externalMarkets.getCandles(address, interval)
      if (held.value === null) throw new AppError(marketReasons.MARKET_NOT_FOUND, { address })
      const candles = held.value
      return ok({ address, interval, currency: 'usd' as const, candles, ...describeSource(app.externalMarkets, held) })
    },
  )
}

export default routes
