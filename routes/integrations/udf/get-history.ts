import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import type { Db } from '../../../db/client.ts'
import { findLastPriced, listCandles, listSecondCandles } from '../../../db/queries/candles.ts'
import { AppError } from '../../../errors.ts'
import { failures } from '../../../lib/openapi/failures.ts'
import { fillCandles, scaleCandles, skipGaps, toCandleCurrency, type Window } from '../../../records/fill-candles.ts'
import { SECONDS_SPAN } from '../../../schemas/chart.ts'
import { ref } from '../../../schemas/common.ts'
import { isOfSeconds, MAX_BARS, stepOf, UdfHistory, UdfHistoryQuery } from '../../../schemas/integrations/udf.ts'
import { requireTimeOrder } from '../../require-time-order.ts'
import { type Bars, buildBars } from './build-bars.ts'
import { type ChartSymbol, readSymbol } from './read-symbol.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/history',
    {
      schema: {
        operationId: 'udfHistory',
        tags: ['Integrations'],
        summary: 'List the bars of a chart',
        description:
          'Bars that start between `from` and `to`, both inclusive, or the last `countback` bars up to `to`. Bars ' +
          'start at the launch and have no gaps; each opens at the previous close. Bars of seconds start an hour ago. `s` is `no_data` if there are ' +
          'none. Without `countback`, `from` is required and must not be after `to`.',
        querystring: UdfHistoryQuery,
        response: { 200: ref(UdfHistory), ...failures('TOKEN_NOT_FOUND') },
      },
    },
    async ({ db, query }) => {
      checkRange(query)
      const symbol = await readSymbol(db, query.symbol)
      const window = placeWindow(query, symbol)
      const bars = await readBars(db, symbol, window)
      if (bars !== null) return bars
      const nextTime = await findBarBefore(db, symbol, window)
      return nextTime === null ? { s: 'no_data' as const } : { s: 'no_data' as const, nextTime }
    },
  )
}

export default routes

/** The bars of a window that begins at the launch or later; null if there are none. */
async function readBars(db: Db, symbol: ChartSymbol, asked: Window): Promise<Bars | null> {
  const window = skipGaps(asked, symbol.gaps)
  const { start: from, end: to, step: resolution } = window
  if (from > to || to < firstBarOf(symbol, resolution)) return null
  const rows = isOfSeconds(resolution)
    ? await listSecondCandles(db, { tokenId: symbol.id, resolution, from: from - (from % 60), to })
    : await listCandles(db, { tokenId: symbol.id, resolution, from, to })
  const launchPrice = symbol.currency === 'native' ? symbol.launch_price : symbol.launch_price_usd
  const candles = fillCandles(rows, launchPrice, window)
  return buildBars(symbol.currency === 'marketCapUsd' ? scaleCandles(candles, symbol.supply) : candles, symbol.currency)
}

/** Start of the first bar that is served: that of the launch, or an hour ago for bars of seconds. */
function firstBarOf({ launched_at, clock }: ChartSymbol, step: number): number {
  const first = isOfSeconds(step) ? Math.max(launched_at, clock - SECONDS_SPAN) : launched_at
  return first - (first % step)
}

type Query = Static<typeof UdfHistoryQuery>

function checkRange({ from, to, countback }: Query): void {
  if (countback !== undefined) return
  if (from === undefined) throw new AppError('INVALID_INPUT', { field: 'query.from', problem: 'is required' })
  requireTimeOrder({ from, to })
}

/** Window of bars between launch and now: those that start in from..to, or the last `countback` of them. */
function placeWindow({ from = 0, to, countback, resolution }: Query, symbol: ChartSymbol): Window {
  const { clock, currency, is_quoted } = symbol
  const step = stepOf(resolution)
  const startOf = (time: number) => time - (time % step)
  const end = startOf(Math.min(to, clock))
  const asked = countback === undefined ? startOf(Math.max(0, from) + step - 1) : end - (countback - 1) * step
  const start = Math.max(asked, firstBarOf(symbol, step), end - (MAX_BARS - 1) * step)
  return { start, end, step, currency: toCandleCurrency(currency === 'native' ? 'native' : 'usd', is_quoted) }
}

/** The last bar before a range without one; null if there is none, as before the launch. */
async function findBarBefore(db: Db, symbol: ChartSymbol, window: Window): Promise<number | null> {
  const { start, end, step: resolution, currency } = window
  const hasBar = async (time: number) => (await readBars(db, symbol, { ...window, start: time, end: time })) !== null
  if (start > end && (await hasBar(end))) return end
  if (isOfSeconds(resolution)) {
    const earlier = {
      ...window,
      start: firstBarOf(symbol, resolution),
      end: Math.min(start, end + resolution) - resolution,
    }
    return (await readBars(db, symbol, earlier))?.t.at(-1) ?? null
  }
  // Where a price is unknown, such as that in US dollars while the feed has none, there are candles without a bar.
  const before = Math.min(start, end + resolution)
  const priced = await findLastPriced(db, { tokenId: symbol.id, resolution, before, currency })
  return (await hasBar(priced)) ? priced : null
}
