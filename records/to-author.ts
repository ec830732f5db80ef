import type { AuthorColumns } from '../db/queries/profiles.ts'

/** A wallet with its name and avatar, as the API serves it. */
export const toAuthor = (wallet: string, { username, avatar_url }: AuthorColumns) => ({
  wallet,
  username,
  avatarUrl: avatar_url,
})
