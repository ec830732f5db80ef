import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { listCandles } from '../../../db/queries/candles.ts'
import { AppError } from '../../../errors.ts'
import { failures } from '../../../lib/openapi/failures.ts'
import { fillCandles, type Window } from '../../../records/fill-candles.ts'
import { ref } from '../../../schemas/common.ts'
import { MAX_BARS, resolutions, UdfHistory, UdfHistoryQuery } from '../../../schemas/integrations/udf.ts'
import { buildBars } from './build-bars.ts'
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
          'start at the launch and have no gaps; each opens at the previous close. `s` is `no_data` if there are ' +
          'none. Without `countback`, `from` is required and must not be after `to`.',
        querystring: UdfHistoryQuery,
        response: { 200: ref(UdfHistory), ...failures('TOKEN_NOT_FOUND') },
      },
    },
    async ({ db, query }) => {
      checkRange(query)
      const symbol = await readSymbol(db, query.symbol)
      const window = placeWindow(query, symbol)
      const { start: from, end: to, step: resolution } = window
      const rows = from > to ? [] : await listCandles(db, { token: symbol.token, resolution, from, to })
      const launchPrice = symbol.currency === 'usd' ? symbol.launch_price_usd : symbol.launch_price
      return buildBars(fillCandles(rows, launchPrice, window), symbol.currency) ?? findNothing(query, symbol, window)
    },
  )
}

export default routes

type Query = Static<typeof UdfHistoryQuery>

function checkRange({ from, to, countback }: Query): void {
  if (countback !== undefined) return
  if (from === undefined) throw new AppError('INVALID_INPUT', { field: 'query.from', problem: 'is required' })
  if (from > to) throw new AppError('INVALID_INPUT', { field: 'query.from', problem: 'must not be after query.to' })
}

const stepOf = (resolution: Query['resolution']) => resolutions[resolution === 'D' ? '1D' : resolution]

/** Window of bars between launch and now: those that start in from..to, or the last `countback` of them. */
function placeWindow(
  { from = 0, to, countback, resolution }: Query,
  { launched_at, clock, currency }: ChartSymbol,
): Window {
  const step = stepOf(resolution)
  const startOf = (time: number) => time - (time % step)
  const end = startOf(Math.min(to, clock))
  const asked = countback === undefined ? startOf(Math.max(0, from) + step - 1) : end - (countback - 1) * step
  return { start: Math.max(asked, startOf(launched_at), end - (MAX_BARS - 1) * step), end, step, currency }
}

/** nextTime is sent only for a range after the last bar; before the first bar there is nothing to return to. */
function findNothing(
  { from = 0, countback, resolution }: Query,
  { clock }: ChartSymbol,
  { step }: Pick<Window, 'step'>,
) {
  const last = clock - (clock % stepOf(resolution))
  const isAfter = countback === undefined && from > last && from > clock - step
  return isAfter ? { s: 'no_data' as const, nextTime: last } : { s: 'no_data' as const }
}
