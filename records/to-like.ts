import type { Static } from '@sinclair/typebox'
import type { LikeState } from '../db/queries/likes.ts'
import type { Like } from '../schemas/comments.ts'

/** A like as the API serves it, after a like or an unlike. */
export const toLike = (actor: string, target: string, row: LikeState): Static<typeof Like> => ({
  actor,
  target,
  createdAt: row.created_at?.toISOString() ?? null,
  likeCount: row.like_count,
})
