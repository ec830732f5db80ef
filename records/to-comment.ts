import type { Static } from '@sinclair/typebox'
import type { CommentRow } from '../db/queries/comments.ts'
import type { Comment } from '../schemas/comments.ts'
import { toAuthor } from './to-author.ts'

/**
 * A comment as the API serves it to `viewer`, a wallet or null for anonymous requests. A tombstone that is kept for its
 * replies reveals neither its content nor why it was removed.
 */
export const toComment = (row: CommentRow, viewer: string | null): Static<typeof Comment> => ({
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
