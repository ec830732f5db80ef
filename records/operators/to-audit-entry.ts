import type { Static } from '@sinclair/typebox'
import type { AuditRow } from '../../db/queries/audit-log.ts'
import type { AuditEntry } from '../../schemas/operators/operators.ts'

/** An entry of the audit log as the API serves it to operators. */
export const toAuditEntry = (row: AuditRow): Static<typeof AuditEntry> => ({
  id: String(row.id),
  actor: row.actor,
  action: row.action,
  subject: row.subject,
  reason: row.reason,
  createdAt: row.created_at.toISOString(),
})
