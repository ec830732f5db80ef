import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Database } from '../schema.ts'
import { logAction } from './audit-log.ts'
import { addNotification } from './notifications.ts'

export type ApplicationStatus = 'pending' | 'approved' | 'rejected'

export interface Application {
  name: string
  email: string
  wallet: string | null
  country: string
  socials: Record<string, string>
  audience: string
  motivation: string
}

export interface ApplicationRow extends Application {
  id: string
  status: ApplicationStatus
  reviewer: string | null
  review_note: string | null
  reviewed_at: Date | null
  created_at: Date
}

/** Stores an application. Throws ALREADY_EXISTS while another one of the same e-mail address or wallet is undecided. */
export async function addApplication(db: Kysely<Database>, application: Application): Promise<{ id: string }> {
  const added = await db
    .insertInto('ambassador_applications')
    .values({ ...application, socials: JSON.stringify(application.socials) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!added) throw new AppError('ALREADY_EXISTS', { resource: 'An open application' })
  return added
}

/** Milliseconds and id of the last row of the previous page. */
export type ApplicationKeyset = readonly [milliseconds: number, id: string]

export interface ApplicationQuery {
  status?: ApplicationStatus | undefined
  limit: number
  after: ApplicationKeyset | null
}

/** Applications, newest first. */
export async function listApplications(db: Kysely<Database>, args: ApplicationQuery): Promise<ApplicationRow[]> {
  const { rows } = await buildApplicationList(args).execute(db)
  return rows
}

/** The statement of listApplications, exported to test its plan. */
export function buildApplicationList({ status, limit, after }: ApplicationQuery): RawBuilder<ApplicationRow> {
  return sql<ApplicationRow>`
    select * from ambassador_applications
    where ${status === undefined ? sql`true` : sql`status = ${status}`}
      ${after === null ? sql`` : sql`and (created_at, id) < (${new Date(after[0])}::timestamptz, ${after[1]})`}
    order by created_at desc, id desc limit ${limit}`
}

/**
 * Decides an application, and notifies its wallet. The first decision is final. Throws RESOURCE_NOT_FOUND, or
 * WRONG_STATE if it is decided already. notices: ids of the new notifications.
 */
export async function reviewApplication(
  trx: Transaction<Database>,
  review: { id: string; status: 'approved' | 'rejected'; note: string | null; reviewer: string },
): Promise<{ application: ApplicationRow; notices: number[] }> {
  const { id, status, note, reviewer } = review
  const { rows } = await sql<ApplicationRow>`
    update ambassador_applications
    set status = ${status}, reviewer = ${reviewer}, review_note = ${note}, reviewed_at = now()
    where id = ${id} and status = 'pending' returning *`.execute(trx)
  const [application] = rows
  if (!application) throw await explainMissing(trx, id)
  const { wallet } = application
  const notice = { type: `ambassador_${status}` as const, actor: null, subject: id }
  const notices = wallet === null ? [] : await addNotification(trx, { ...notice, recipient: wallet })
  // The note may hold personal data: it is stored with the application, and erased with it.
  const action = status === 'approved' ? 'application.approve' : 'application.reject'
  await logAction(trx, { actor: reviewer, action, subject: id, reason: null })
  return { application, notices }
}

async function explainMissing(db: Kysely<Database>, id: string): Promise<AppError> {
  const known = await db.selectFrom('ambassador_applications').select('status').where('id', '=', id).executeTakeFirst()
  return known
    ? new AppError('WRONG_STATE', { resource: 'This application', state: known.status })
    : new AppError('RESOURCE_NOT_FOUND', { resource: 'Application', id })
}

/** Erases an application with all its personal data. Throws RESOURCE_NOT_FOUND. */
export async function eraseApplication(
  trx: Transaction<Database>,
  { id, actor }: { id: string; actor: string },
): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('ambassador_applications')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Application', id })
  await sql`delete from notifications where subject = ${id} and type like 'ambassador\\_%'`.execute(trx)
  await logAction(trx, { actor, action: 'application.erase', subject: id, reason: null })
}
