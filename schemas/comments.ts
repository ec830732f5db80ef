import { Type } from '@sinclair/typebox'
import { Address, Closed, CursorList, CursorQuery, component, IsoTime, Nullable, OneOf, ref } from './common.ts'
import type { LiveEvent } from './live.ts'
import { PlainText } from './plain-text.ts'
import { Author } from './profiles.ts'

export const COMMENT_LENGTH = 500
export const REPORT_NOTE_LENGTH = 500

const id = (options: Record<string, unknown>) =>
  Type.String({ pattern: '^[1-9][0-9]{0,14}$', examples: ['1024'], 'x-expects': 'is not an id', ...options })

/** A serial id, in decimal digits. A string. */
export const Id = id({})
export const IdParams = Type.Object({ id: id({ description: 'The id, as returned by a list or on creation.' }) })

export const Comment = component(
  'Comment',
  {
    id: Id,
    token: Address,
    author: Nullable({ ...ref(Author), description: 'Null for a removed comment.' }),
    text: Type.String({
      description: 'Plain text. Clients must not render it as markup. Empty only for a removed comment.',
    }),
    parentId: Nullable(
      id({
        description:
          'The comment that started the thread; null for that comment itself. The token’s comment list contains ' +
          'it, possibly as `removed`.',
      }),
    ),
    likeCount: Type.Integer(),
    replyCount: Type.Integer({ description: 'Replies in the thread that this comment started.' }),
    likedByMe: Nullable(Type.Boolean({ description: 'Null for unauthenticated requests.' })),
    createdAt: IsoTime,
    hidden: Type.Boolean({ description: 'Whether an operator hid the comment. Always false in public lists.' }),
    removed: Type.Boolean({
      description:
        'The comment was deleted or hidden and is kept as a placeholder while it has replies. Show it as ' +
        '“removed”. It cannot be answered, liked or reported.',
    }),
  },
  {
    description: 'A comment on a token.',
    examples: [
      {
        id: '1024',
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        author: { wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8', username: 'harbour_cat', avatarUrl: null },
        text: 'The cat is back on the slipway. See https://hcat.example.org',
        parentId: null,
        likeCount: 3,
        replyCount: 1,
        likedByMe: null,
        createdAt: '2026-11-21T12:00:00.000Z',
        hidden: false,
        removed: false,
      },
    ],
  },
)
export const CommentList = CursorList(ref(Comment))

export const CommentQuery = CursorQuery({
  parentId: Type.Optional(
    Type.String({
      pattern: '^(none|[1-9][0-9]{0,14})$',
      description:
        'Only replies in the thread of this comment; `none` selects comments that started a thread. Default: all ' +
        'comments.',
      examples: ['none', '1024'],
      'x-expects': 'must be the id of a comment, or none',
    }),
  ),
})

export const CommentCreation = Closed(
  {
    text: PlainText(COMMENT_LENGTH, 'Text of the comment.', 'The cat is back on the slipway.'),
    parentId: Type.Optional(
      Nullable(
        id({
          description: 'The comment to reply to. A reply to a reply joins the same thread: threads have one level.',
        }),
      ),
    ),
  },
  { examples: [{ text: 'The cat is back on the slipway.' }, { text: 'And hungry.', parentId: '1024' }] },
)

export const CommentDeletion = component(
  'CommentDeletion',
  { id: Id, deleted: Type.Literal(true) },
  { description: 'Confirms that a comment is deleted.', examples: [{ id: '1024', deleted: true }] },
)

export const Like = component(
  'Like',
  {
    actor: Address,
    target: Type.String({ description: 'Address of the token, or id of the comment.' }),
    createdAt: Nullable(
      Type.String({ ...IsoTime, description: 'Time of the like; null if the target is not liked now.' }),
    ),
    likeCount: Type.Integer({ description: 'Current number of likes of the target.' }),
  },
  {
    description: 'A wallet’s like of a token or a comment.',
    examples: [
      {
        actor: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        target: '1024',
        createdAt: '2026-11-21T12:00:00.000Z',
        likeCount: 4,
      },
    ],
  },
)

export const reportReasons = ['spam', 'scam', 'abuse', 'illegal', 'other'] as const

export const ReportCreation = Closed(
  {
    reason: OneOf(reportReasons),
    note: Type.Optional(
      Nullable(PlainText(REPORT_NOTE_LENGTH, 'Note for the operators.', 'The same link everywhere.')),
    ),
  },
  { examples: [{ reason: 'scam', note: 'The link asks for a seed phrase.' }] },
)

export const ReportReceipt = component(
  'ReportReceipt',
  { id: Id, status: OneOf(['open']) },
  { description: 'Confirms that a report was received.', examples: [{ id: '7', status: 'open' }] },
)

export const components = [Comment, CommentDeletion, Like, ReportReceipt]

const exampleToken = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const RemovedComment = component(
  'RemovedComment',
  { id: Type.String({ description: 'The id of the comment.' }), token: Address },
  {
    description:
      'A comment that was deleted by its author or hidden by an operator. While it has replies, lists return ' +
      'it as `removed`.',
    examples: [{ id: '17', token: exampleToken }],
  },
)

export const liveEvents = {
  comment: { data: Comment, channels: ['token', 'feed'], description: 'A comment on the token was posted.' },
  'comment.removed': {
    data: RemovedComment,
    channels: ['token', 'feed'],
    description:
      'A comment was deleted or hidden, or its author banned. If it has replies, lists show it as `removed`.',
  },
} as const satisfies Record<string, LiveEvent>
