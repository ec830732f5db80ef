import type { LikeState } from '../db/queries/likes.ts'

/** A like as the API serves it, after a like or an unlike. */
export const toLike = (actor: string, target: string, { created_at, like_count }: LikeState) => ({
  actor,
  target,
  createdAt: created_at?.toISOString() ?? null,
  likeCount: like_count,
})
