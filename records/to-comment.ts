import type { CommentRow } from '../db/queries/comments.ts'
import { toAuthor } from './to-author.ts'

/**
 * A row of comments as the API serves it to a wallet, or to nobody in particular. A place that is kept for replies says nothing
 * of what was there, nor why it is gone.
 */
export const toComment = (row: CommentRow, viewer: string | null) => ({
  id: String(row.id),
  token: row.token,
  author: row.visible ? toAuthor(row.author, row) : null,
  text: row.visible ? row.body : '',
  parentId: row.parent_id === null ? null : String(row.parent_id),
  likeCount: row.visible ? row.like_count : 0,
  replyCount: row.reply_count,
  likedByMe: viewer === null ? null : row.visible && row.liked_by_me,
  createdAt: row.created_at.toISOString(),
  hidden: row.visible && row.hidden,
  removed: !row.visible,
})
