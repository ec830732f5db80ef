import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listBans } from '../../db/queries/bans.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toBan } from '../../records/operators/to-ban.ts'
import { CursorQuery, Envelope, ok, walletRequired } from '../../schemas/common.ts'
import { BanList } from '../../schemas/operators/operators.ts'
import { AddressTimeKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const ORDER = 'bans'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/bans',
    {
      schema: {
        operationId: 'listBans',
        tags: ['Operators'],
        summary: 'List banned wallets',
        description: 'Latest ban first, with its operator and reason. The audit log also has bans that have ended.',
        security: walletRequired,
        querystring: CursorQuery({}),
        response: { 200: Envelope(BanList), ...failures('NOT_ADMIN', 'NO_PAGES') },
      },
    },
    async ({ db, query }) => {
      const { limit, after } = readCursor(query, ORDER, AddressTimeKeyset)
      const rows = await listBans(db, { limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, (row) => [row.banned_at.getTime(), row.wallet])
      return ok({ items: items.map(toBan), nextCursor })
    },
  )
}

export default routes
