import { Type } from '@sinclair/typebox'
import { Id } from './comments.ts'
import {
  Address,
  Amount,
  Closed,
  CursorList,
  CursorQuery,
  component,
  IsoTime,
  Nullable,
  OneOf,
  ref,
  TxHash,
} from './common.ts'
import type { Channel, LiveEvent } from './live.ts'
import { Author } from './profiles.ts'

const TokenLabel = Type.Object(
  { address: Address, name: Type.String(), symbol: Type.String(), imageUrl: Nullable(Type.String()) },
  { description: 'The token that it is about.' },
)

const author = { wallet: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', username: 'gull', avatarUrl: null }
const token = {
  address: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
  name: 'Harbour Cat',
  symbol: 'HCAT',
  imageUrl: 'https://images.example.org/hcat.webp',
}
const txHash = '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77'

export const FeedQuery = CursorQuery({
  scope: Type.Optional(
    OneOf(['all', 'following'], {
      default: 'all',
      description:
        'all: launches, graduations, comments, and trades of at least one native coin. following: launches, comments and ' +
        'all trades of the wallets that you follow; needs a token of sign-in.',
    }),
  ),
})

export const FeedItem = component(
  'FeedItem',
  {
    id: Type.String(),
    type: OneOf(['launch', 'graduation', 'trade', 'comment']),
    actor: ref(Author),
    token: TokenLabel,
    trade: Nullable(
      Type.Object({
        side: OneOf(['buy', 'sell']),
        tokenAmount: Amount,
        quoteAmount: Amount,
        valueUsd: Nullable(Type.Number()),
      }),
    ),
    comment: Nullable(Type.Object({ id: Id, text: Type.String() })),
    createdAt: IsoTime,
    blockNumber: Nullable(Type.Integer({ description: 'Null, as the fields after it, of what is not on the chain.' })),
    txHash: Nullable(TxHash),
    logIndex: Nullable(Type.Integer()),
    confirmed: Nullable(Type.Boolean()),
  },
  {
    description: 'Something that happened. `actor` of a graduation is the creator of the token.',
    examples: [
      {
        id: `${txHash}-11`,
        type: 'trade',
        actor: author,
        token,
        trade: {
          side: 'buy',
          tokenAmount: '418935601120065194713482910',
          quoteAmount: '1000000000000000000',
          valueUsd: 3000,
        },
        comment: null,
        createdAt: '2026-11-21T12:00:00.000Z',
        blockNumber: 22_414_823,
        txHash,
        logIndex: 11,
        confirmed: false,
      },
    ],
  },
)
export const FeedList = CursorList(ref(FeedItem))

export const NotificationQuery = CursorQuery({
  unread: Type.Optional(
    OneOf(['', 'true', '1', 'false', '0'], {
      description: 'Only what was not read yet: `?unread` or `?unread=true`.',
      examples: ['true'],
    }),
  ),
})

/** All that a wallet is told of. */
export const notificationTypes = {
  comment: 'on your token',
  reply: 'to your comment',
  comment_like: 'of your comment',
  token_like: 'of your token',
  follow: 'of you',
  trade_on_my_token: 'by somebody else',
  followed_creator_launched: 'a token',
  graduated: 'your token, or one that you like',
  reward_funded: 'a pool that you stake in',
  raise_opened: 'by a creator whom you follow',
  raise_finalized: 'a raise that you committed to, as the following, has succeeded',
  raise_failed: 'it stayed below its goal, and pays back',
  raise_cancelled: 'its creator called it off, and it pays back',
  raise_dissolved: 'it pays back what proposals have left',
  raise_proposal_opened: 'there is something to vote on',
  raise_proposal_executed: 'and paid out',
  ambassador_approved: 'your application',
  ambassador_rejected: 'your application',
} as const
const typeNames = Object.keys(notificationTypes) as (keyof typeof notificationTypes)[]

export const Notification = component(
  'Notification',
  {
    id: Id,
    type: OneOf(typeNames, {
      description: `${typeNames.map((type) => `${type}: ${notificationTypes[type]}`).join('; ')}.`,
      examples: ['comment'],
    }),
    actor: Nullable(ref(Author)),
    subject: Type.String({
      description:
        'What it is about: the id of the comment of comment, reply and comment_like, the wallet of follow, else the ' +
        'address of the token or the id of the raise, pool or application.',
    }),
    token: Nullable(TokenLabel),
    payload: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'More, by type: text and parentId of comments; side, amounts, title, proposal (its id) and position of what is on ' +
          'the chain.',
      },
    ),
    readAt: Nullable(IsoTime),
    createdAt: IsoTime,
  },
  {
    description: 'Something that a wallet was told.',
    examples: [
      {
        id: '512',
        type: 'comment',
        actor: author,
        subject: '1024',
        token,
        payload: { text: 'The cat is back on the slipway.', parentId: null },
        readAt: null,
        createdAt: '2026-11-21T12:00:00.000Z',
      },
    ],
  },
)

const UnreadCount = Type.Integer({ description: 'Up to 1000: there may be more.', examples: [2] })

export const NotificationList = Type.Object({
  ...CursorList(ref(Notification)).properties,
  unreadCount: UnreadCount,
})

export const ReadRequest = Closed(
  {
    ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100 })),
    all: Type.Optional(Type.Literal(true)),
  },
  {
    minProperties: 1,
    maxProperties: 1,
    description: 'Which to mark: some by id, or all.',
    examples: [{ ids: ['512'] }, { all: true }],
    'x-expects': 'must have either ids or all',
  },
)

export const ReadResult = component(
  'NotificationsRead',
  { read: Type.Integer({ description: 'How many were unread before.' }), unreadCount: UnreadCount },
  { examples: [{ read: 1, unreadCount: 0 }] },
)

export const components = [FeedItem, Notification, ReadResult]

const RetractedNotification = component(
  'RetractedNotification',
  { id: Type.String({ description: 'The id of the notification.' }) },
  {
    description: 'A notification of something that a reorganisation of the chain has undone. It is no longer listed.',
    examples: [{ id: '311' }],
  },
)

export const channels = {
  wallet: {
    parameter: 'address',
    isPrivate: true,
    description: 'Notifications and transactions of one wallet, for its owner.',
    example: 'wallet:0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  },
  feed: { description: 'Launches, graduations, trades and comments, as the public feed lists them.', example: 'feed' },
} as const satisfies Record<string, Channel>

export const liveEvents = {
  notification: { data: Notification, channels: ['wallet'], description: 'A notification of the wallet.' },
  'notification.retracted': {
    data: RetractedNotification,
    channels: ['wallet'],
    description: 'A reorg has undone what a notification was about.',
  },
} as const satisfies Record<string, LiveEvent>
