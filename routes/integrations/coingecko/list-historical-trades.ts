import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../../db/client.ts'
import { findListed, type ListedToken, listTickerTrades } from '../../../db/queries/integrations/tickers.ts'
import { AppError } from '../../../errors.ts'
import { failures, notFound } from '../../../lib/openapi/failures.ts'
import { toHistoricalTrade } from '../../../records/integrations/to-historical-trade.ts'
import { ref } from '../../../schemas/common.ts'
import { CoingeckoTrades, coingeckoLimits, HistoricalTradesQuery } from '../../../schemas/integrations/coingecko.ts'

/** Smaller values are seconds (up to the year 5138); larger ones milliseconds (from 1973). */
const FIRST_MILLISECONDS = 100_000_000_000

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/historical_trades',
    {
      schema: {
        operationId: 'coingeckoHistoricalTrades',
        tags: ['Integrations'],
        summary: 'List trades of a market for CoinGecko',
        description: 'Trades on the curve and, after graduation, in the pool. start_time and end_time are inclusive.',
        querystring: HistoricalTradesQuery,
        response: {
          200: ref(CoingeckoTrades),
          ...failures(notFound('Ticker', HistoricalTradesQuery.properties.ticker_id)),
        },
      },
    },
    async ({ db, query: { ticker_id: id, type: side = null, limit = 200, start_time, end_time } }) => {
      const token = await readTicker(db, id)
      const decimals = { quote: token.quote_decimals, token: token.decimals }
      const range = { from: toSeconds(start_time, Math.ceil), to: toSeconds(end_time, Math.floor) }
      if (range.from !== null && range.to !== null && range.from > range.to)
        throw new AppError('INVALID_INPUT', { field: 'query.start_time', problem: 'must not be after query.end_time' })
      const rows = await listTickerTrades(db, {
        tokenId: token.id,
        side,
        ...range,
        limit: limit || coingeckoLimits.trades,
      })
      const trades = rows.map((row) => toHistoricalTrade(row, decimals)).filter((trade) => trade !== null)
      return { buy: trades.filter(({ type }) => type === 'buy'), sell: trades.filter(({ type }) => type === 'sell') }
    },
  )
}

export default routes

/** The token of a ticker. Throws RESOURCE_NOT_FOUND for an unknown or hidden token, or another target currency. */
async function readTicker(db: Db, id: string): Promise<ListedToken> {
  const [base, target] = id.toLowerCase().split('_') as [string, string]
  const token = await findListed(db, base)
  if (token === undefined || token.quote_contract !== target)
    throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Ticker', id })
  return token
}

function toSeconds(time: number | undefined, round: (time: number) => number): number | null {
  if (time === undefined) return null
  return time < FIRST_MILLISECONDS ? time : round(time / 1000)
}
