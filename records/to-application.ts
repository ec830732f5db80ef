import type { Static } from '@sinclair/typebox'
import type { ApplicationRow } from '../db/queries/ambassador-applications.ts'
import type { Application } from '../schemas/ambassadors.ts'

/** An ambassador application as the API serves it to operators, with the applicant's personal data. */
export const toApplication = (row: ApplicationRow): Static<typeof Application> => ({
  id: row.id,
  name: row.name,
  email: row.email,
  wallet: row.wallet,
  country: row.country,
  socials: row.socials,
  audience: row.audience,
  motivation: row.motivation,
  status: row.status,
  reviewer: row.reviewer,
  reviewNote: row.review_note,
  reviewedAt: row.reviewed_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
})
