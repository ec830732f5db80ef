import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { eraseApplication, listApplications, reviewApplication } from '../../db/queries/ambassador-applications.ts'
import { exemplify, failures, notFound } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toApplication } from '../../records/to-application.ts'
import {
  Application,
  ApplicationErasure,
  ApplicationList,
  ApplicationParams,
  ApplicationQuery,
  ApplicationReview,
  lengths,
} from '../../schemas/ambassadors.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { UuidTimeKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'
import { readOptionalText } from '../read-text.ts'
import { enqueueNotifications } from '../social/enqueue-events.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const missing = notFound('Application', ApplicationParams.properties.id)
  const common = { tags: ['Operators'], security: walletRequired }

  app.get(
    '/ambassador-applications',
    {
      schema: {
        ...common,
        operationId: 'listAmbassadorApplications',
        summary: 'List ambassador applications',
        description: 'Latest first. No other list returns the applicants’ personal data.',
        querystring: ApplicationQuery,
        response: { 200: Envelope(ApplicationList), ...failures('NOT_ADMIN', 'NO_PAGES') },
      },
    },
    async ({ db, query }, reply) => {
      const { status } = query
      const order = `applications:${status ?? 'all'}`
      const { limit, after } = readCursor(query, order, UuidTimeKeyset)
      const rows = await listApplications(db, { status, limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, order, (row) => [row.created_at.getTime(), row.id])
      // Personal data must not be cached.
      reply.header('cache-control', 'no-store')
      return ok({ items: items.map(toApplication), nextCursor })
    },
  )

  app.patch(
    '/ambassador-applications/:id',
    {
      schema: {
        ...common,
        operationId: 'reviewAmbassadorApplication',
        summary: 'Approve or reject an ambassador application',
        description:
          'Notifies the wallet of the application, if it has one. 409 if the application is already decided.',
        params: ApplicationParams,
        body: ApplicationReview,
        response: {
          200: Envelope(ref(Application)),
          ...failures(
            'NOT_ADMIN',
            'WALLET_BANNED',
            missing,
            exemplify('WRONG_STATE', { resource: 'This application', state: 'approved' }),
          ),
        },
      },
    },
    async (request) => {
      const { status, note: raw = null } = request.body
      const note = readOptionalText(raw, 'body.note', lengths.note)
      const review = { id: request.params.id, status, note, reviewer: walletOf(request) }
      const reviewed = await app.transactionWithEvents(async (trx) => {
        const { application, notices } = await reviewApplication(trx, review)
        await enqueueNotifications(trx, notices)
        return application
      }, [])
      return ok(toApplication(reviewed))
    },
  )

  app.delete(
    '/ambassador-applications/:id',
    {
      schema: {
        ...common,
        operationId: 'eraseAmbassadorApplication',
        summary: 'Erase an ambassador application',
        description:
          'Deletes the application with its personal data. The audit log records the erasure and the operator.',
        params: ApplicationParams,
        response: { 200: Envelope(ref(ApplicationErasure)), ...failures('NOT_ADMIN', 'WALLET_BANNED', missing) },
      },
    },
    async (request) => {
      const { id } = request.params
      await request.db.transaction().execute((trx) => eraseApplication(trx, { id, actor: walletOf(request) }))
      return ok({ id, erased: true as const })
    },
  )
}

export default routes
