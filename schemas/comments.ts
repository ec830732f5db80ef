import { Type } from '@sinclair/typebox'
import { Address, Closed, CursorList, CursorQuery, component, IsoTime, Nullable, OneOf, ref } from './common.ts'
import type { LiveEvent } from './live.ts'
import { PlainText } from './plain-text.ts'
import { Author } from './profiles.ts'

export const COMMENT_LENGTH = 500
export const REPORT_NOTE_LENGTH = 500

const id = (options: Record<string, unknown>) =>
  Type.String({ pattern: '^[1-9][0-9]{0,14}$', examples: ['1024'], 'x-expects': 'is not an id', ...options })

/** Ids of what is numbered here: decimal digits in a string. */
export const Id = id({})
export const IdParams = Type.Object({ id: id({ description: 'Its id, as a list or its creation told it.' }) })

export const Comment = component(
  'Comment',
  {
    id: Id,
    token: Address,
    author: Nullable({ ...ref(Author), description: 'Null of one that was removed.' }),
    text: Type.String({
      description: 'Plain text. Clients must not render it as markup. Empty of one that was removed, and of no other.',
    }),
    parentId: Nullable(
      id({
        description:
          'The comment that began the thread; null of one that began its own. The lists of the token hold it, if only as `removed`.',
      }),
    ),
    likeCount: Type.Integer(),
    replyCount: Type.Integer({ description: 'Replies in the thread that it began.' }),
    likedByMe: Nullable(Type.Boolean({ description: 'Null without a token of sign-in.' })),
    createdAt: IsoTime,
    hidden: Type.Boolean({ description: 'Taken out of sight by an operator; always false in public lists.' }),
    removed: Type.Boolean({
      description:
        'It was deleted, or taken out of sight, and keeps its place while there are replies to it: to be shown as “removed”. It can be neither answered, liked nor reported.',
    }),
  },
  {
    description: 'Something said about a token.',
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
      description: 'The replies in the thread of this comment, or with `none` those that began a thread. Default: all.',
      examples: ['none', '1024'],
      'x-expects': 'must be the id of a comment, or none',
    }),
  ),
})

export const CommentCreation = Closed(
  {
    text: PlainText(COMMENT_LENGTH, 'What to say.', 'The cat is back on the slipway.'),
    parentId: Type.Optional(
      Nullable(
        id({
          description: 'The comment that it answers. A reply to a reply joins the same thread: there is one level.',
        }),
      ),
    ),
  },
  { examples: [{ text: 'The cat is back on the slipway.' }, { text: 'And hungry.', parentId: '1024' }] },
)

export const CommentDeletion = component(
  'CommentDeletion',
  { id: Id, deleted: Type.Literal(true) },
  { examples: [{ id: '1024', deleted: true }] },
)

export const Like = component(
  'Like',
  {
    actor: Address,
    target: Type.String({ description: 'The address of the token, or the id of the comment.' }),
    createdAt: Nullable(Type.String({ ...IsoTime, description: 'Since when; null when it is no more.' })),
    likeCount: Type.Integer({ description: 'How many like the target now.' }),
  },
  {
    description: 'A wallet liking a token or a comment.',
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
      Nullable(PlainText(REPORT_NOTE_LENGTH, 'What operators should know.', 'The same link everywhere.')),
    ),
  },
  { examples: [{ reason: 'scam', note: 'The link asks for a seed phrase.' }] },
)

export const ReportReceipt = component(
  'ReportReceipt',
  { id: Id, status: OneOf(['open']) },
  { description: 'That a report has reached the operators.', examples: [{ id: '7', status: 'open' }] },
)

export const components = [Comment, CommentDeletion, Like, ReportReceipt]

const exampleToken = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const RemovedComment = component(
  'RemovedComment',
  { id: Type.String({ description: 'The id of the comment.' }), token: Address },
  {
    description:
      'A comment that its author or an operator took away. With replies left to it, the lists keep its place as `removed`.',
    examples: [{ id: '17', token: exampleToken }],
  },
)

export const liveEvents = {
  comment: { data: Comment, channels: ['token', 'feed'], description: 'A comment on the token was posted.' },
  'comment.removed': {
    data: RemovedComment,
    channels: ['token', 'feed'],
    description: 'A comment was deleted or hidden. If it has replies, lists show it as `removed`.',
  },
} as const satisfies Record<string, LiveEvent>
