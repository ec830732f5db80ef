import type { Static } from '@sinclair/typebox'
import type { AuthorColumns } from '../db/queries/profiles.ts'
import type { Author } from '../schemas/profiles.ts'

/** A wallet with its name and avatar, as the API serves it. */
export const toAuthor = (wallet: string, { username, avatar_url }: AuthorColumns): Static<typeof Author> => ({
  wallet,
  username,
  avatarUrl: avatar_url,
})
