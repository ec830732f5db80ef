import type { Static } from '@sinclair/typebox'
import type { FollowRow } from '../db/queries/follows.ts'
import type { Followed } from '../schemas/profiles.ts'
import { toAuthor } from './to-author.ts'

/** A follower or a followed wallet as a list serves it. */
export const toFollowed = (row: FollowRow): Static<typeof Followed> => ({
  ...toAuthor(row.wallet, row),
  followerCount: row.follower_count,
  followedAt: row.created_at.toISOString(),
})
