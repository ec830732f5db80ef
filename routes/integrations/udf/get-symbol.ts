import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { failures } from '../../../lib/openapi/failures.ts'
import { ref } from '../../../schemas/common.ts'
import { resolutionNames, UdfSymbol, UdfSymbolQuery } from '../../../schemas/integrations/udf.ts'
import { type ChartSymbol, codeOf, nameSymbol, readSymbol } from './read-symbol.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const { name: exchange } = app.settings.brand
  app.get(
    '/symbols',
    {
      schema: {
        operationId: 'udfSymbol',
        tags: ['Integrations'],
        summary: 'Get a symbol of the chart feed',
        description:
          'Token symbols are not unique, so the ticker is the token’s address. Prices are in native coin; with the ' +
          'suffix `:USD` they are in US dollars, if there is a price feed.',
        querystring: UdfSymbolQuery,
        response: { 200: ref(UdfSymbol), ...failures('TOKEN_NOT_FOUND') },
      },
    },
    async ({ db, query }) => describeSymbol(await readSymbol(db, query.symbol), exchange),
  )
}

export default routes

function describeSymbol(symbol: ChartSymbol, exchange: string) {
  const { token, currency } = symbol
  return {
    name: nameSymbol(symbol, currency),
    ticker: currency === 'usd' ? `${token}:USD` : token,
    description: symbol.name || symbol.symbol || token,
    type: 'crypto' as const,
    session: '24x7' as const,
    timezone: 'Etc/UTC' as const,
    exchange,
    listed_exchange: exchange,
    'exchange-traded': exchange,
    'exchange-listed': exchange,
    currency_code: codeOf(currency),
    format: 'price' as const,
    minmov: 1 as const,
    minmov2: 0 as const,
    pointvalue: 1 as const,
    pricescale: toPriceScale(symbol),
    has_intraday: true,
    has_daily: true,
    has_weekly_and_monthly: false,
    intraday_multipliers: resolutionNames.filter((name) => name !== '1D'),
    supported_resolutions: resolutionNames,
    visible_plots_set: 'ohlcv' as const,
    volume_precision: 6,
    data_status: 'streaming' as const,
  }
}

const DIGITS = 8
/** Prices have at least cents, and at most the 18 decimals of the base unit. */
const [FEWEST_DECIMALS, MOST_DECIMALS] = [2, 18]

/** A power of ten with enough decimals for eight significant digits of the lower of launch price and current price. */
export function toPriceScale({
  currency,
  quote_usd,
  ...symbol
}: Omit<ChartSymbol, 'token' | 'name' | 'symbol'>): number {
  const now = currency === 'usd' ? symbol.price * Number(quote_usd ?? 0) : symbol.price
  const launch = currency === 'usd' ? symbol.launch_price_usd : symbol.launch_price
  const lowest = Math.min(...[now, launch].filter((price) => price !== null && price > 0).map(Number))
  const decimals = Number.isFinite(lowest) ? DIGITS - 1 - Math.floor(Math.log10(lowest)) : MOST_DECIMALS
  return 10 ** Math.min(MOST_DECIMALS, Math.max(FEWEST_DECIMALS, decimals))
}
