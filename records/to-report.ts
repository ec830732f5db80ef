import type { Static } from '@sinclair/typebox'
import type { ReportRow } from '../db/queries/reports.ts'
import type { Report } from '../schemas/operators/operators.ts'

/** A report of a comment as the API serves it to operators. */
export const toReport = (row: ReportRow): Static<typeof Report> => ({
  id: String(row.id),
  reporter: row.reporter,
  reason: row.reason,
  note: row.note,
  status: row.status,
  createdAt: row.created_at.toISOString(),
  comment: {
    id: String(row.comment_id),
    token: row.token,
    author: row.author,
    text: row.body,
    hidden: row.hidden,
    deleted: row.deleted,
    authorBanned: row.banned,
  },
})
