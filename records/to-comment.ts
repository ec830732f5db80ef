import type { CommentRow } from '../db/queries/comments.ts'
import { toAuthor } from './to-author.ts'

/** A row of comments as the API serves it to a wallet, or to nobody in particular. */
export const toComment = (row: CommentRow, viewer: string | null) => ({
  id: String(row.id),
  token: row.token,
  author: toAuthor(row.author, row),
  text: row.body,
  parentId: row.parent_id === null ? null : String(row.parent_id),
  likeCount: row.like_count,
  replyCount: row.reply_count,
  likedByMe: viewer === null ? null : row.liked_by_me,
  createdAt: row.created_at.toISOString(),
  hidden: row.hidden,
})
