import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { dismissReport, listReports } from '../../db/queries/reports.ts'
import { exemplify, failures, notFound } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toReport } from '../../records/to-report.ts'
import { Id, IdParams } from '../../schemas/comments.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { Decision, Report, ReportList, ReportQuery } from '../../schemas/operators/operators.ts'
import { IdKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'
import { readReason } from './read-reason.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/reports',
    {
      schema: {
        operationId: 'listReports',
        tags: ['Operators'],
        summary: 'List reports of comments',
        description: 'Latest first. Returns open reports by default.',
        security: walletRequired,
        querystring: ReportQuery,
        response: { 200: Envelope(ReportList), ...failures('NOT_ADMIN', 'NO_PAGES') },
      },
    },
    async ({ db, query }) => {
      const { status = 'open' } = query
      const order = `reports:${status}`
      const { limit, after } = readCursor(query, order, IdKeyset)
      const rows = await listReports(db, { status, limit: limit + 1, after: after?.[0] ?? null })
      const { items, nextCursor } = cutPage(rows, limit, order, (row) => [row.id])
      return ok({ items: items.map(toReport), nextCursor })
    },
  )

  app.post(
    '/reports/:id/dismiss',
    {
      schema: {
        operationId: 'dismissReport',
        tags: ['Operators'],
        summary: 'Dismiss a report',
        description:
          'To uphold a report, hide the comment. The text of a deleted comment is erased with the last decision. 409 if ' +
          'the report is already decided.',
        security: walletRequired,
        params: IdParams,
        body: Decision,
        response: {
          200: Envelope(ref(Report)),
          ...failures(
            'NOT_ADMIN',
            'WALLET_BANNED',
            notFound('Report', Id),
            exemplify('WRONG_STATE', { resource: 'This report', state: 'dismissed' }),
          ),
        },
      },
    },
    async (request) => {
      const decision = { id: Number(request.params.id), actor: walletOf(request), reason: readReason(request.body) }
      return ok(toReport(await request.db.transaction().execute((trx) => dismissReport(trx, decision))))
    },
  )
}

export default routes
