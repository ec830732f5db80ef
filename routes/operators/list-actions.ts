import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listActions } from '../../db/queries/audit-log.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toAuditEntry } from '../../records/operators/to-audit-entry.ts'
import { Envelope, ok, walletRequired } from '../../schemas/common.ts'
import { AuditList, AuditQuery } from '../../schemas/operators/operators.ts'
import { IdKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const ORDER = 'audit-log'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/audit-log',
    {
      schema: {
        operationId: 'listAuditLog',
        tags: ['Operators'],
        summary: 'List the audit log',
        description:
          'Actions of operators and labs members, latest first. An entry is written in the transaction of its ' +
          'action and never changes.',
        security: walletRequired,
        querystring: AuditQuery,
        response: { 200: Envelope(AuditList), ...failures('NOT_ADMIN', 'NO_PAGES') },
      },
    },
    async ({ db, query }) => {
      const { limit, after } = readCursor(query, ORDER, IdKeyset)
      const { actor, subject } = query
      const rows = await listActions(db, { actor, subject, limit: limit + 1, after: after?.[0] ?? null })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, (row) => [row.id])
      return ok({ items: items.map(toAuditEntry), nextCursor })
    },
  )
}

export default routes
