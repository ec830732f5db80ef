import type { Static } from '@sinclair/typebox'
import type { FollowState } from '../db/queries/follows.ts'
import type { Follow } from '../schemas/profiles.ts'

/** A follow as the API serves it, after a follow or an unfollow. */
export const toFollow = (actor: string, target: string, row: FollowState): Static<typeof Follow> => ({
  actor,
  target,
  createdAt: row.created_at?.toISOString() ?? null,
  followerCount: row.follower_count,
})
