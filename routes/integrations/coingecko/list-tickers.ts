import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { formatUsd, nativeToUsd, parseUsd } from '../../../chain/amounts.ts'
import { listTickers, type TickerRow } from '../../../db/queries/integrations/tickers.ts'
import { failures } from '../../../lib/openapi/failures.ts'
import { CoingeckoTickers, coingeckoLimits, TickersQuery } from '../../../schemas/integrations/coingecko.ts'
import { PRICE_DECIMALS, toChecksum, toCoins } from '../format.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/tickers',
    {
      config: { bucket: 'read-heavy' },
      schema: {
        operationId: 'coingeckoTickers',
        tags: ['Integrations'],
        summary: 'List tickers of all markets for CoinGecko',
        description:
          'One ticker for each token traded in the last 24 hours, for its current market (curve or pool). A price ' +
          'is the traded native coin divided by the traded tokens.',
        querystring: TickersQuery,
        response: { 200: CoingeckoTickers, ...failures() },
      },
    },
    async ({ db, query: { limit = coingeckoLimits.tickers, page = 1 } }) => {
      const rows = await listTickers(db, { limit, offset: (page - 1) * limit })
      return rows.map(toTicker)
    },
  )
}

export default routes

function toTicker(row: TickerRow) {
  const [base, target] = [toChecksum(row.token), toChecksum(row.wrapped_native)]
  const liquidity = row.quote_usd === null ? null : nativeToUsd(BigInt(row.liquidity), parseUsd(row.quote_usd))
  return {
    ticker_id: `${base}_${target}`,
    base_currency: base,
    target_currency: target,
    pool_id: row.pool === null ? base : toChecksum(row.pool),
    last_price: toCoins(row.last_price, PRICE_DECIMALS),
    high: toCoins(row.high, PRICE_DECIMALS),
    low: toCoins(row.low, PRICE_DECIMALS),
    base_volume: toCoins(row.base_volume),
    target_volume: toCoins(row.target_volume),
    ...(liquidity !== null && { liquidity_in_usd: formatUsd(liquidity) }),
  }
}
