import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listTransactions } from '../../db/queries/transactions.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toTransaction } from '../../records/to-transaction.ts'
import { Envelope, ok } from '../../schemas/common.ts'
import { TransactionList, TransactionQuery } from '../../schemas/trading.ts'
import { PositionKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const ORDER = 'transactions'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/transactions',
    {
      schema: {
        operationId: 'listTransactions',
        tags: ['Trading'],
        summary: 'List on-chain actions of wallets',
        description: 'Trades and all other actions, newest first. All given filters apply.',
        querystring: TransactionQuery,
        response: { 200: Envelope(TransactionList), ...failures('NO_PAGES') },
      },
    },
    async ({ db, query }) => {
      const { limit, after } = readCursor(query, ORDER, PositionKeyset)
      const { wallet, token, raise, proposal, pool, type, txHash } = query
      const filter = { wallet, token, raise, proposal, pool, type, txHash }
      const rows = await listTransactions(db, { filter, limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, (row) => [row.block_number, row.log_index])
      return ok({ items: items.map(toTransaction), nextCursor })
    },
  )
}

export default routes
