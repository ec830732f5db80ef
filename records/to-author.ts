import type { AuthorColumns } from '../db/queries/profiles.ts'

/** Who did something, as the API serves them. */
export const toAuthor = (wallet: string, { username, avatar_url }: AuthorColumns) => ({
  wallet,
  username,
  avatarUrl: avatar_url,
})
