import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../schema.ts'

/** An action by an operator or by labs. */
export interface Action {
  actor: string
  /** Type and verb, such as token.hide. */
  action: string
  /** An address or id. Never personal data: the log is not erased. */
  subject: string
  reason: string | null
}

/** Records an action in the transaction that performs it. */
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
  /** The id of the last row of the previous page. */
  after: number | null
}

/** Actions, newest first. */
export async function listActions(db: Kysely<Database>, args: AuditQuery): Promise<AuditRow[]> {
  const { rows } = await buildActionList(args).execute(db)
  return rows
}

/** The statement of listActions, exported to test its plan. */
export function buildActionList({ actor, subject, limit, after }: AuditQuery): RawBuilder<AuditRow> {
  return sql<AuditRow>`
    select id, actor, action, subject, reason, created_at from audit_log
    where ${after === null ? sql`true` : sql`id < ${after}`}
      ${actor === undefined ? sql`` : sql`and actor = ${actor}`}
      ${subject === undefined ? sql`` : sql`and subject = ${subject}`}
    order by id desc limit ${limit}`
}
