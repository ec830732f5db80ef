import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Database } from '../schema.ts'
import { addressOf } from '../token-ids.ts'
import { countComments } from './counts.ts'
import { getLaunch } from './launches.ts'
import { addNotification } from './notifications.ts'
import { type AuthorColumns, enterAsWriter, joinAuthor } from './profiles.ts'
import { isOfLaunch } from './tokens.ts'

export interface CommentRow extends AuthorColumns {
  id: number
  token_id: number
  token: string
  author: string
  body: string
  parent_id: number | null
  like_count: number
  reply_count: number
  liked_by_me: boolean
  created_at: Date
  hidden: boolean
  /** False for a tombstone that is kept for its replies. Its text and author must not be served. */
  visible: boolean
}

/** Comments of a source (a table expression without alias) as the viewer may see them, newest first. */
const selectComments = (source: RawBuilder<unknown>, viewer: string | null) => sql<CommentRow>`
  select e.id, e.token_id, ${addressOf('e')} as token, e.author, e.body, e.parent_id, e.like_count, e.reply_count, e.created_at, e.hidden, e.visible,
    p.username, p.avatar_url,
    exists (select from comment_likes l where l.token_id = e.token_id and l.comment_id = e.id and l.wallet = ${viewer}) as liked_by_me
  from ${source} e ${joinAuthor('e.author')}
  order by e.id desc`

export interface CommentQuery {
  tokenId: number
  /** All comments, those that begin a thread, or the replies in one. */
  thread: 'all' | 'roots' | number
  limit: number
  /** The id of the last row of the previous page. */
  after: number | null
  viewer: string | null
}

/**
 * Visible comments on a token, and tombstones of those that began a thread with visible replies. Deleted and hidden
 * comments and those of banned wallets are not visible.
 */
export async function listComments(db: Kysely<Database>, args: CommentQuery): Promise<CommentRow[]> {
  const { rows } = await buildCommentList(args).execute(db)
  return rows
}

/** The statement of listComments, exported to test its plan. */
export function buildCommentList({ tokenId, thread, limit, after, viewer }: CommentQuery): RawBuilder<CommentRow> {
  const chosen =
    typeof thread === 'number' ? sql`parent_id = ${thread}` : thread === 'roots' ? sql`parent_id is null` : sql`true`
  return selectComments(
    sql`(
      select * from comments where ${typeof thread === 'number' ? sql`visible` : sql`shown`} and token_id = ${tokenId} and ${chosen}
        ${after === null ? sql`` : sql`and id < ${after}`}
      order by id desc limit ${limit}
    )`,
    viewer,
  )
}

/** A visible comment. Throws RESOURCE_NOT_FOUND. */
export async function getComment(db: Kysely<Database>, id: number, viewer: string | null = null): Promise<CommentRow> {
  const source = sql`(select * from comments c where id = ${id} and visible and ${isOfLaunch('c')})`
  const { rows } = await selectComments(source, viewer).execute(db)
  if (!rows[0]) throw missingComment(id)
  return rows[0]
}

export const missingComment = (id: number) =>
  new AppError('RESOURCE_NOT_FOUND', { resource: 'Comment', id: String(id) })

/*
 * Lock order, because writers that lock rows in different orders deadlock: the profile of the writer (enterAsWriter), its
 * like or follow, comments by descending id (so a reply before its parent), token_counts by key, reports, notifications
 * by id, the outbox. A statement that writes several rows must lock them beforehand.
 */

interface LockedComment {
  token_id: number
  token: string
  parent_id: number | null
  author: string
  visible: boolean
  deleted_at: Date | null
}

/**
 * Locks a comment, visible or not, until the transaction ends. Writers of a comment or of its reports call it first.
 * Throws RESOURCE_NOT_FOUND.
 */
export async function lockComment(trx: Transaction<Database>, id: number): Promise<LockedComment> {
  const comment = await trx
    .selectFrom('comments')
    .select(['token_id', addressOf('comments').as('token'), 'parent_id', 'author', 'visible', 'deleted_at'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!comment) throw missingComment(id)
  return comment
}

/** The comments of a wallet since a time, shown or not. */
export async function listCommentsSince(
  trx: Transaction<Database>,
  author: string,
  since: Date,
): Promise<{ id: string; token: string }[]> {
  const rows = await trx
    .selectFrom('comments')
    .select(['id', addressOf('comments').as('token')])
    .where('author', '=', author)
    .where('created_at', '>=', since)
    .execute()
  return rows.map(({ id, token }) => ({ id: String(id), token }))
}

/** The same text within this time is a double click or a retry, not a second comment. */
const REPEAT_SECONDS = 60

/**
 * Adds a comment, and notifies the author of its parent, or else the token's creator. A reply to a reply joins the same
 * thread. A repeated text returns the author's existing comment and notifies nobody: isNew is false. notices: ids of
 * the new notifications. Throws TOKEN_NOT_FOUND, RESOURCE_NOT_FOUND (the parent).
 */
export async function createComment(
  trx: Transaction<Database>,
  { token, author, text, parentId }: { token: string; author: string; text: string; parentId: number | null },
): Promise<{ comment: CommentRow; isNew: boolean; notices: number[] }> {
  // For update, so that concurrent requests of an author see each other's comment.
  await enterAsWriter(trx, author, 'update')
  const { creator, id: token_id } = await getLaunch(trx, token)
  const parent = parentId === null ? undefined : await getComment(trx, parentId)
  if (parent && parent.token !== token) throw missingComment(parent.id)
  const thread = parent ? (parent.parent_id ?? parent.id) : null
  const repeated = await findRepeated(trx, { token_id, author, text, thread })
  if (repeated !== undefined) return { comment: await getComment(trx, repeated, author), isNew: false, notices: [] }
  const { id } = await trx
    .insertInto('comments')
    .values({ token_id, author, body: text, parent_id: thread })
    .returning('id')
    .executeTakeFirstOrThrow()
  await countComments(trx, [{ token_id, parent_id: thread }], 1)
  const notice = { actor: author, subject: String(id), commentId: id }
  const notices = parent ? await addNotification(trx, { ...notice, recipient: parent.author, type: 'reply' }) : []
  if (parent?.author !== creator)
    notices.push(...(await addNotification(trx, { ...notice, recipient: creator, type: 'comment' })))
  return { comment: await getComment(trx, id, author), isNew: true, notices }
}

async function findRepeated(
  trx: Transaction<Database>,
  { token_id, author, text, thread }: { token_id: number; author: string; text: string; thread: number | null },
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from comments
    where visible and author = ${author} and created_at > now() - ${REPEAT_SECONDS} * interval '1 second'
      and token_id = ${token_id} and parent_id is not distinct from ${thread}::bigint and body = ${text}
    limit 1`.execute(trx)
  return rows[0]?.id
}

/** Hides the comments of a banned wallet, or shows them again. */
export async function setSilenced(
  trx: Transaction<Database>,
  { author, silenced }: { author: string; silenced: boolean },
): Promise<void> {
  const changed = sql`comments where author = ${author} and silenced <> ${silenced}`
  // The counts of their parents will change, too.
  await sql`select count(*) from (
    select from comments where id in (select unnest(array[id, parent_id]) from ${changed}) order by id desc for no key update
  ) locked`.execute(trx)
  const rows = await trx
    .updateTable('comments')
    .set({ silenced })
    .where('author', '=', author)
    .where('silenced', '!=', silenced)
    .returning(['token_id', 'parent_id', 'deleted_at', 'hidden'])
    .execute()
  const shown = rows.filter((row) => row.deleted_at === null && !row.hidden)
  await countComments(trx, shown, silenced ? -1 : 1)
}

/**
 * Deletes a comment. Its text is erased with it, or after the last decision on its reports. Throws RESOURCE_NOT_FOUND,
 * or NOT_OWNER for anyone but its author.
 */
export async function deleteComment(
  trx: Transaction<Database>,
  { id, wallet }: { id: number; wallet: string },
): Promise<{ token: string }> {
  await enterAsWriter(trx, wallet)
  const comment = await lockComment(trx, id)
  if (comment.deleted_at !== null || (!comment.visible && comment.author !== wallet)) throw missingComment(id)
  if (comment.author !== wallet) throw new AppError('NOT_OWNER', { resource: 'comment' })
  await sql`update comments set deleted_at = now() where id = ${id}`.execute(trx)
  if (comment.visible) await countComments(trx, [comment], -1)
  await eraseDeletedText(trx, id)
  return { token: comment.token }
}

/**
 * Erases the text of a comment that is deleted, unless operators must still judge it. Call it, with the comment locked,
 * after a deletion and after each decision on a report.
 */
export async function eraseDeletedText(trx: Transaction<Database>, id: number): Promise<void> {
  await sql`update comments set body = '' where id = ${id} and deleted_at is not null and body <> ''
    and not exists (select from reports where comment_id = ${id} and status = 'open')`.execute(trx)
}
