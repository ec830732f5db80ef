import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addReport } from '../../db/queries/reports.ts'
import { exemplify, failures, notFound } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { Id, IdParams, REPORT_NOTE_LENGTH, ReportCreation, ReportReceipt } from '../../schemas/comments.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { readOptionalText } from '../read-text.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/comments/:id/report',
    {
      schema: {
        operationId: 'reportComment',
        tags: ['Social'],
        summary: 'Report a comment to the operators',
        description: 'Once per wallet; 409 after that. Only operators can see the reporter.',
        security: walletRequired,
        params: IdParams,
        body: ReportCreation,
        response: {
          200: Envelope(ref(ReportReceipt)),
          ...failures(
            'WALLET_BANNED',
            notFound('Comment', Id),
            exemplify('ALREADY_EXISTS', { resource: 'Your report' }),
          ),
        },
      },
    },
    async (request) => {
      const { reason, note: raw = null } = request.body
      const note = readOptionalText(raw, 'body.note', REPORT_NOTE_LENGTH)
      const report = { commentId: Number(request.params.id), reporter: walletOf(request), reason, note }
      const { id } = await request.db.transaction().execute((trx) => addReport(trx, report))
      return ok({ id: String(id), status: 'open' as const })
    },
  )
}

export default routes
