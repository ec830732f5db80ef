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
import { exampleQuote, QuoteAsset } from './quote-asset.ts'

export const TokenLabel = Type.Object(
  {
    address: Address,
    name: Type.String(),
    symbol: Type.String(),
    imageUrl: Nullable(Type.String()),
    decimals: Type.Integer({ description: 'Of its amounts.' }),
  },
  { description: 'The token concerned.' },
)

const author = { wallet: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', username: 'gull', avatarUrl: null }
const token = {
  address: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
  name: 'Harbour Cat',
  symbol: 'HCAT',
  imageUrl: 'https://images.example.org/hcat.webp',
  decimals: 18,
}
const txHash = '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77'

export const FeedQuery = CursorQuery({
  scope: Type.Optional(
    OneOf(['all', 'following'], {
      default: 'all',
      description:
        'all: launches, graduations, comments, and trades of at least one native coin. following: launches, ' +
        'comments and all trades of wallets that you follow; requires a bearer token.',
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
        quote: ref(QuoteAsset),
        valueUsd: Nullable(Type.Number()),
      }),
    ),
    comment: Nullable(Type.Object({ id: Id, text: Type.String() })),
    createdAt: IsoTime,
    blockNumber: Nullable(Type.Integer({ description: 'Null for comments, like txHash, logIndex and confirmed.' })),
    txHash: Nullable(TxHash),
    logIndex: Nullable(Type.Integer()),
    confirmed: Nullable(Type.Boolean()),
  },
  {
    description: 'A feed item. For a graduation, `actor` is the creator of the token.',
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
          quote: exampleQuote,
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
      description: 'Only unread notifications: `?unread` or `?unread=true`.',
      examples: ['true'],
    }),
  ),
})

/** Notification types with their descriptions. */
export const notificationTypes = {
  comment: 'comment on your token',
  reply: 'reply to your comment',
  comment_like: 'like of your comment',
  token_like: 'like of your token',
  follow: 'new follower',
  trade_on_my_token: 'trade of your token by another wallet',
  followed_creator_launched: 'launch by a wallet that you follow',
  graduated: 'graduation of a token that you launched or like',
  price_alert: 'an alert about the price or the price change of a token, in `payload.alert`',
  graduation_alert: 'an alert about the graduation of a token',
  trade_alert: 'a trade by a wallet that you have an alert about',
  reward_funded: 'funding of a pool that you stake in',
  raise_opened: 'raise by a creator that you follow',
  raise_finalized: 'success of a raise that you committed to',
  raise_failed: 'a raise that you committed to missed its goal and can be refunded',
  raise_cancelled: 'a raise that you committed to was cancelled and can be refunded',
  raise_dissolved: 'the remaining escrow of a raise that you committed to can be refunded',
  raise_proposal_opened: 'new proposal in a raise that you committed to',
  raise_proposal_passed:
    'a release that you did not vote for has passed, and you can leave the raise with your share until it is executed',
  raise_proposal_executed: 'payout of a proposal in a raise that you committed to',
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
        'Subject of the notification: the comment id for comment, reply and comment_like; the wallet for follow; ' +
        'otherwise the address of the token or the id of the raise, pool or application.',
    }),
    token: Nullable(TokenLabel),
    payload: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Further data by type: text and parentId for comments; side, amounts, title, proposal (its id) and chain ' +
          'position for on-chain events; executableAt for raise_proposal_passed.',
      },
    ),
    readAt: Nullable(IsoTime),
    createdAt: IsoTime,
  },
  {
    description: 'A notification for a wallet.',
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

const UnreadCount = Type.Integer({ description: 'Number of unread notifications, capped at 1000.', examples: [2] })

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
    description: 'Notifications to mark: by ids, or all.',
    examples: [{ ids: ['512'] }, { all: true }],
    'x-expects': 'must have either ids or all',
  },
)

export const ReadResult = component(
  'NotificationsRead',
  { read: Type.Integer({ description: 'Number of notifications that were unread before.' }), unreadCount: UnreadCount },
  { description: 'The result of marking notifications as read.', examples: [{ read: 1, unreadCount: 0 }] },
)

export const components = [FeedItem, Notification, ReadResult]

const RetractedNotification = component(
  'RetractedNotification',
  { id: Type.String({ description: 'Id of the notification.' }) },
  {
    description: 'A notification of an event that a reorg undid. It is no longer listed.',
    examples: [{ id: '311' }],
  },
)

export const channels = {
  wallet: {
    parameter: 'address',
    isPrivate: true,
    description: 'Events of one wallet; requires its bearer token.',
    example: 'wallet:0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  },
  feed: {
    description: 'Launches, graduations and comments, as in the public feed, and trades of any size.',
    example: 'feed',
  },
} as const satisfies Record<string, Channel>

export const liveEvents = {
  notification: { data: Notification, channels: ['wallet'], description: 'A new notification of the wallet.' },
  'notification.retracted': {
    data: RetractedNotification,
    channels: ['wallet'],
    description: 'A reorg undid the event of a notification.',
  },
  'notification.read': {
    data: ReadResult,
    channels: ['wallet'],
    description: 'Notifications of the wallet were marked as read, on any of its devices.',
  },
} as const satisfies Record<string, LiveEvent>
