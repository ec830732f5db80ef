import type { Static } from '@sinclair/typebox'
import type { ProfileRow } from '../db/queries/profiles.ts'
import type { Profile } from '../schemas/profiles.ts'
import { toIso } from './format.ts'

/** A profile as the API serves it to `viewer`, a wallet or null for anonymous requests. */
export const toProfile = (row: ProfileRow, viewer: string | null): Static<typeof Profile> => ({
  wallet: row.wallet,
  username: row.username,
  bio: row.bio,
  avatarUrl: row.avatar_url,
  followerCount: row.follower_count,
  followingCount: row.following_count,
  createdTokens: row.created_tokens,
  joinedAt: row.joined_at === null ? null : toIso(row.joined_at),
  followedByMe: viewer === null ? null : row.followed_by_me,
})
