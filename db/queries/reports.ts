import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Database } from '../schema.ts'
import { addressOf } from '../token-ids.ts'
import { logAction } from './audit-log.ts'
import { eraseDeletedText, getComment, lockComment } from './comments.ts'
import { enterAsWriter } from './profiles.ts'
import { isOfLaunch } from './tokens.ts'

export type ReportReason = 'spam' | 'scam' | 'abuse' | 'illegal' | 'other'
export type ReportStatus = 'open' | 'upheld' | 'dismissed'

/** Reports a comment to the operators, once for each wallet. Throws RESOURCE_NOT_FOUND, ALREADY_EXISTS. */
export async function addReport(
  trx: Transaction<Database>,
  report: { commentId: number; reporter: string; reason: ReportReason; note: string | null },
): Promise<{ id: number }> {
  const { commentId, reporter, reason, note } = report
  await enterAsWriter(trx, reporter)
  // Else a deletion, which does not see this report, could erase the text.
  await lockComment(trx, commentId)
  await getComment(trx, commentId)
  const added = await trx
    .insertInto('reports')
    .values({ comment_id: commentId, reporter, reason, note })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!added) throw new AppError('ALREADY_EXISTS', { resource: 'Your report' })
  return added
}

/** A report, with the comment as stored: operators also see hidden texts. */
export interface ReportRow {
  id: number
  reporter: string
  reason: ReportReason
  note: string | null
  status: ReportStatus
  created_at: Date
  comment_id: number
  token: string
  author: string
  body: string
  hidden: boolean
  deleted: boolean
  banned: boolean
}

export interface ReportQuery {
  status: ReportStatus
  limit: number
  /** The id of the last row of the previous page. */
  after: number | null
}

/** Reports in a state, newest first. */
export async function listReports(db: Kysely<Database>, args: ReportQuery): Promise<ReportRow[]> {
  const { rows } = await buildReportList(args).execute(db)
  return rows
}

/** The statement of listReports, exported to test its plan. */
export function buildReportList({ status, limit, after }: ReportQuery): RawBuilder<ReportRow> {
  return selectReports(sql`(
    select r.* from reports r where status = ${status} ${after === null ? sql`` : sql`and id < ${after}`}
      and (select ${isOfLaunch('c')} from comments c where c.id = r.comment_id)
    order by id desc limit ${limit}
  )`)
}

const selectReports = (source: RawBuilder<unknown>) => sql<ReportRow>`
  select e.id, e.reporter, e.reason, e.note, e.status, e.created_at, e.comment_id, ${addressOf('c')} as token, c.author, c.body, c.hidden,
    c.deleted_at is not null as deleted, c.silenced as banned
  from ${source} e
  cross join lateral (select * from comments where id = e.comment_id limit 1) c
  order by e.id desc`

/** Upholds the open reports of a comment, which the caller has locked. Returns their number. */
export async function upholdReports(trx: Transaction<Database>, commentId: number): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('reports')
    .set({ status: 'upheld' })
    .where('comment_id', '=', commentId)
    .where('status', '=', 'open')
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Dismisses a report. Throws RESOURCE_NOT_FOUND, or WRONG_STATE if it is decided already. */
export async function dismissReport(
  trx: Transaction<Database>,
  { id, actor, reason }: { id: number; actor: string; reason: string | null },
): Promise<ReportRow> {
  const known = await trx.selectFrom('reports').select('comment_id').where('id', '=', id).executeTakeFirst()
  if (!known) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Report', id: String(id) })
  await lockComment(trx, known.comment_id)
  const { numUpdatedRows } = await trx
    .updateTable('reports')
    .set({ status: 'dismissed' })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .executeTakeFirstOrThrow()
  await eraseDeletedText(trx, known.comment_id)
  const { rows } = await selectReports(sql`(select * from reports where id = ${id})`).execute(trx)
  const report = rows[0] as ReportRow
  if (numUpdatedRows === 0n) throw new AppError('WRONG_STATE', { resource: 'This report', state: report.status })
  await logAction(trx, { actor, action: 'report.dismiss', subject: String(id), reason })
  return report
}
