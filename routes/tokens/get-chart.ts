import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { type ChartBounds, getChartBounds, listCandles, listSecondCandles } from '../../db/queries/candles.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { fillCandles, scaleCandles, skipGaps, toCandleCurrency, type Window } from '../../records/fill-candles.ts'
import { toQuote } from '../../records/quote.ts'
import { Chart, ChartQuery, candleLimits, chartIntervals, SECONDS_SPAN, secondIntervals } from '../../schemas/chart.ts'
import { AddressParams, Envelope, ok, ref } from '../../schemas/common.ts'
import { requireTimeOrder } from '../require-time-order.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const { symbol } = app.settings.nativeCurrency
  app.get(
    '/:address/chart',
    {
      config: { cache: ['token', 'chain'] },
      schema: {
        operationId: 'getTokenChart',
        tags: ['Tokens'],
        summary: 'List the candles of a token',
        description:
          'A series without gaps since the launch: an interval without trades keeps the price. Candles below a minute begin ' +
          'an hour ago. An operator may have ' +
          'archived or removed old candles shorter than a day: the series then begins after them, and is empty if ' +
          '`to` is before.',
        params: AddressParams,
        querystring: ChartQuery,
        response: { 200: Envelope(ref(Chart)), ...failures('TOKEN_NOT_FOUND') },
      },
    },
    async ({ db, params: { address: token }, query }) => {
      const { interval = '5m', currency = 'native' } = query
      requireTimeOrder(query)
      const bounds = await getChartBounds(db, token)
      const window = skipGaps(placeWindow(query, bounds), bounds.gaps)
      const list = interval in secondIntervals ? listSecondCandles : listCandles
      const rows = await list(db, {
        tokenId: bounds.id,
        resolution: window.step,
        from: interval in secondIntervals ? window.start - (window.start % 60) : window.start,
        to: window.end,
      })
      const launchPrice = findLaunchPrice(bounds, window)
      const candles = fillCandles(rows, launchPrice, window)
      const scaled = currency === 'marketCapUsd' ? scaleCandles(candles, bounds.supply) : candles
      const quote = toQuote({ quote: bounds.quote, native_symbol: symbol })
      return ok({ token, interval, currency, quote, candles: scaled })
    },
  )
}

export default routes

/** The last `limit` intervals between from and to, within launch and now. */
function placeWindow(query: Static<typeof ChartQuery>, { launched_at, clock, quote }: ChartBounds): Window {
  const { from = 0, to = clock, interval = '5m', limit = candleLimits.default, currency = 'native' } = query
  const step = chartIntervals[interval]
  const startOf = (time: number) => time - (time % step)
  const end = startOf(Math.min(to, clock))
  const oldest = interval in secondIntervals ? startOf(clock - SECONDS_SPAN) : 0
  const start = Math.max(startOf(from), startOf(launched_at), end - (limit - 1) * step, oldest)
  const shown = currency === 'marketCapUsd' ? 'usd' : currency
  return { start, end, step, currency: toCandleCurrency(shown, quote !== null) }
}

function findLaunchPrice(bounds: ChartBounds, { currency }: Window): number | null {
  if (currency === 'usd') return bounds.launch_price_usd
  return currency === 'native' ? bounds.launch_price_native : bounds.launch_price
}
