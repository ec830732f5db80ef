import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { getLaunch } from '../../db/queries/launches.ts'
import { listTokenTrades } from '../../db/queries/trades.ts'
import { AppError } from '../../errors.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toTrade } from '../../records/to-trade.ts'
import { AddressParams, Envelope, ok } from '../../schemas/common.ts'
import { TradeList, TradeQuery } from '../../schemas/tokens.ts'
import { PositionKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'
import { requireTimeOrder } from '../require-time-order.ts'

const ORDER = 'trades'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:address/trades',
    {
      config: { cache: ['token', 'chain'], heavyRead: readsManyTrades },
      schema: {
        operationId: 'listTokenTrades',
        tags: ['Tokens'],
        summary: 'List the trades of a token',
        description:
          'Newest first: trades on the curve and, after graduation, in the pool. A trade is listed if it meets all conditions.',
        params: AddressParams,
        querystring: TradeQuery,
        response: { 200: Envelope(TradeList), ...failures('NO_PAGES', 'TOKEN_NOT_FOUND') },
      },
    },
    async ({ db, params, query }) => {
      requireTimeOrder(query)
      requireAmountOrder(query)
      const { limit, after } = readCursor(query, ORDER, PositionKeyset)
      const { limit: _limit, cursor: _cursor, ...filter } = query
      const { id: tokenId } = await getLaunch(db, params.address)
      const rows = await listTokenTrades(db, { tokenId, limit: limit + 1, after, filter })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, (row) => [row.block_number, row.log_index])
      return ok({ items: items.map(toTrade), nextCursor })
    },
  )
}

/** A range of amounts that few trades are in reads all trades of the token. */
const readsManyTrades = ({ query }: FastifyRequest) => {
  const { minQuote, maxQuote } = query as Static<typeof TradeQuery>
  return minQuote !== undefined || maxQuote !== undefined ? 'aggregate' : undefined
}

function requireAmountOrder({ minQuote, maxQuote }: Static<typeof TradeQuery>): void {
  if (minQuote !== undefined && maxQuote !== undefined && BigInt(minQuote) > BigInt(maxQuote))
    throw new AppError('INVALID_INPUT', { field: 'query.minQuote', problem: 'must not be above query.maxQuote' })
}

export default routes
