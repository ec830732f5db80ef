import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listAlerts } from '../../db/queries/alerts.ts'
import { getLaunch } from '../../db/queries/launches.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toAlert } from '../../records/to-alert.ts'
import { AlertList, AlertQuery } from '../../schemas/alerts.ts'
import { Envelope, ok, walletRequired } from '../../schemas/common.ts'
import { IdKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const ORDER = 'alerts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '',
    {
      schema: {
        operationId: 'listAlerts',
        tags: ['Alerts'],
        summary: 'List your alerts',
        description: 'Newest first, with those that have triggered. With `token`, only alerts about it.',
        security: walletRequired,
        querystring: AlertQuery,
        response: { 200: Envelope(AlertList), ...failures('NO_PAGES', 'TOKEN_NOT_FOUND') },
      },
    },
    async (request) => {
      const { limit, after } = readCursor(request.query, ORDER, IdKeyset)
      const { token } = request.query
      const rows = await listAlerts(request.db, {
        wallet: walletOf(request),
        tokenId: token === undefined ? null : (await getLaunch(request.db, token)).id,
        limit: limit + 1,
        after: after?.[0] ?? null,
      })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, ({ id }) => [id])
      return ok({ items: items.map(toAlert), nextCursor })
    },
  )
}

export default routes
