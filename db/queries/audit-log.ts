import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../schema.ts'

/** An action of an operator or of labs. */
export interface Action {
  actor: string
  /** As in token.hide: what kind of thing, and what was done to it. */
  action: string
  /** The address or id of the thing. Never personal data: the log is not erased. */
  subject: string
  reason: string | null
}

/** Keeps who did what, why and when; in the transaction that does it. */
export async function logAction(trx: Transaction<Database>, action: Action): Promise<void> {
  await trx.insertInto('audit_log').values(action).execute()
}

export interface AuditRow extends Action {
  id: number
  created_at: Date
}

export interface AuditQuery {
  actor?: string | undefined
  subject?: string | undefined
  limit: number
  /** The id of the last one answered. */
  after: number | null
}

/** What was done, the latest first. */
export async function listActions(db: Kysely<Database>, args: AuditQuery): Promise<AuditRow[]> {
  const { rows } = await buildActionList(args).execute(db)
  return rows
}

/** The statement of listActions, apart so that its plan can be tested. */
export function buildActionList({ actor, subject, limit, after }: AuditQuery): RawBuilder<AuditRow> {
  return sql<AuditRow>`
    select id, actor, action, subject, reason, created_at from audit_log
    where ${after === null ? sql`true` : sql`id < ${after}`}
      ${actor === undefined ? sql`` : sql`and actor = ${actor}`}
      ${subject === undefined ? sql`` : sql`and subject = ${subject}`}
    order by id desc limit ${limit}`
}
