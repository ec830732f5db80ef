import type { FastifyPluginAsync } from 'fastify'
import listHistoricalTrades from './list-historical-trades.ts'
import listTickers from './list-tickers.ts'

/** CoinGecko’s endpoints for an exchange without an order book. */
const coingecko: FastifyPluginAsync = async (app) => {
  app.register(listTickers)
  app.register(listHistoricalTrades)
}

export default coingecko
