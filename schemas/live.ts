import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Candle, type Interval, intervals } from './chart.ts'
import { Comment } from './comments.ts'
import { Address, Closed, component, OneOf, ref, TxHash } from './common.ts'
import { Raise } from './raises.ts'
import { Notification } from './social.ts'
import { Statistics } from './statistics.ts'
import { Token, Trade } from './tokens.ts'
import { Transaction } from './trading.ts'

const token = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const wallet = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'

/** Kinds of rooms: what follows the colon of those that have one, and what they are about. */
export const rooms = {
  tokens: { description: 'Launches and graduations of all tokens.', example: 'tokens' },
  trades: { description: 'Every trade.', example: 'trades' },
  token: { parameter: 'address', description: 'All about one token.', example: `token:${token}` },
  wallet: {
    parameter: 'address',
    description: 'What concerns one wallet; for its owner.',
    example: `wallet:${wallet}`,
  },
  raises: { description: 'What is done in any raise, and what is said about it.', example: 'raises' },
  raise: {
    parameter: 'id',
    description: 'What is done in one raise, and what is said about it.',
    example: 'raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-7',
  },
  staking: { description: 'What is done in the staking pools.', example: 'staking' },
  feed: { description: 'Launches, graduations, trades and comments, as the public feed lists them.', example: 'feed' },
  stats: { description: 'Figures of the platform, as they change.', example: 'stats' },
} as const satisfies Record<string, { parameter?: 'address' | 'id'; description: string; example: string }>
export type RoomKind = keyof typeof rooms

const RoomGiven = Type.String({
  minLength: 1,
  maxLength: 128,
  description: `One of ${Object.keys(rooms).join(', ')}; token:, wallet: and raise: take an address or an id. Addresses in any letter case.`,
  examples: ['trades', `token:${token}`],
})
const RoomName = Type.String({
  pattern: '^(tokens|trades|raises|staking|feed|stats|(token|wallet):0x[0-9a-f]{40}|raise:0x[0-9a-f]{40}-[0-9]{1,78})$',
  description: 'The room; addresses in lower case.',
  examples: ['trades', `token:${token}`],
})
// One schema of two types: of a union only what the first of them wants would be told.
const RequestId = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  maxLength: 64,
  minimum: 0,
  maximum: 2 ** 53 - 1,
  description: 'Of the client’s choice; comes back in the answer.',
  examples: ['a1'],
})
const id = Type.Optional(RequestId)
const Sequence = Type.Integer({
  minimum: 0,
  maximum: 2 ** 53 - 1,
  description: 'The place of an event among all events, over all rooms: it only grows, and leaves gaps within a room.',
  examples: [90_211],
})

export const Subscribe = Closed(
  {
    type: Type.Literal('subscribe'),
    room: RoomGiven,
    id,
    token: Type.Optional(
      Type.String({ maxLength: 4_096, description: 'A token of sign-in, for the room of its wallet.' }),
    ),
    since: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 53 - 1,
        description: 'seq of the last event heard: all that the room had after it comes first.',
        examples: [90_200],
      }),
    ),
  },
  {
    description: 'Enters a room. In one already, it enters anew.',
    examples: [{ type: 'subscribe', room: 'trades', id: 'a1' }],
  },
)
export const Unsubscribe = Closed(
  { type: Type.Literal('unsubscribe'), room: RoomGiven, id },
  { description: 'Leaves a room.', examples: [{ type: 'unsubscribe', room: 'trades', id: 'a2' }] },
)
export const Ping = Closed(
  { type: Type.Literal('ping'), room: Type.Optional(RoomGiven), id },
  {
    description: 'Asks for a pong, for clients that cannot see the pings of the protocol.',
    examples: [{ type: 'ping', id: 1 }],
  },
)
/** What a client may send, by its type. */
export const clientMessages = { subscribe: Subscribe, unsubscribe: Unsubscribe, ping: Ping } as const
export type ClientMessage = Static<typeof Subscribe> | Static<typeof Unsubscribe> | Static<typeof Ping>

export const Subscribed = Closed(
  {
    type: Type.Literal('subscribed'),
    room: RoomName,
    id,
    seq: Type.Integer({
      ...Sequence,
      description: 'Where the room begins: every event of it after this one follows. With since, that is since.',
    }),
  },
  { description: 'The room is entered.', examples: [{ type: 'subscribed', room: 'trades', id: 'a1', seq: 90_211 }] },
)
export const Unsubscribed = Closed(
  { type: Type.Literal('unsubscribed'), room: RoomName, id },
  { description: 'No more of this room follows.', examples: [{ type: 'unsubscribed', room: 'trades', id: 'a2' }] },
)
export const Pong = Closed(
  { type: Type.Literal('pong'), room: Type.Optional(RoomGiven), id },
  { description: 'The answer to a ping.', examples: [{ type: 'pong', id: 1 }] },
)

export const errorCodes = {
  RATE_LIMITED: 'Too many messages from this socket; this one was not handled.',
  ROOM_LIMIT: 'This socket is in as many rooms as it may be.',
  UNAUTHORIZED: 'The room needs a token of its wallet. With a room and no id: a token that was good is no longer.',
  UNKNOWN_ROOM: 'There is no such room.',
  BAD_MESSAGE: 'The message is not JSON, or not what the schema says.',
  REPLAY_GAP: 'Not all events after since are kept: read the state anew, then subscribe without since.',
  UNAVAILABLE: 'Something that this needs does not answer now; try again shortly.',
} as const
export type SocketErrorCode = keyof typeof errorCodes

export const SocketError = Closed(
  {
    type: Type.Literal('error'),
    code: OneOf(Object.keys(errorCodes) as SocketErrorCode[], {
      description: Object.entries(errorCodes)
        .map(([code, meaning]) => `${code}: ${meaning}`)
        .join(' '),
    }),
    message: Type.String({ description: 'For a person to read.' }),
    room: Type.Optional(Type.String({ description: 'The room that the socket is not in, or no longer.' })),
    id,
  },
  {
    description: 'A message that failed, or a room that was lost. The socket stays open.',
    examples: [{ type: 'error', code: 'UNKNOWN_ROOM', message: 'There is no such room', room: 'nowhere', id: 'a3' }],
  },
)
export type ServerMessage =
  | Static<typeof Subscribed>
  | Static<typeof Unsubscribed>
  | Static<typeof Pong>
  | Static<typeof SocketError>

const current = {
  time: 1_795_168_500,
  open: 2.1e-9,
  high: 2.36328125e-9,
  low: 2.1e-9,
  close: 2.36328125e-9,
  volumeNative: '120000000000000000',
  volumeUsd: 360,
  trades: 3,
}
const intervalNames = Object.keys(intervals) as Interval[]
const CurrentCandles = component(
  'CurrentCandles',
  {
    token: Address,
    candles: Type.Object(Object.fromEntries(intervalNames.map((name) => [name, Candle])), {
      description: 'By interval, the last candle of the chart in native coin. It replaces the one of the same time.',
    }),
  },
  {
    description: 'What the charts of a token now end with, after a trade or after one was retracted.',
    examples: [
      {
        token,
        candles: Object.fromEntries(
          intervalNames.map((name) => [name, { ...current, time: current.time - (current.time % intervals[name]) }]),
        ),
      },
    ],
  },
)
const retractedHash = '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77'
const RetractedTrade = component(
  'RetractedTrade',
  {
    id: Type.String({ description: 'The id of the trade that is no more.' }),
    token: Address,
    trader: Address,
    side: OneOf(['buy', 'sell']),
    blockNumber: Type.Integer(),
    txHash: TxHash,
    logIndex: Type.Integer(),
  },
  {
    description:
      'A trade that a reorganisation of the chain has undone. It may come again in another block, as a new trade.',
    examples: [
      {
        id: `${retractedHash}-11`,
        token,
        trader: wallet,
        side: 'buy',
        blockNumber: 22_414_823,
        txHash: retractedHash,
        logIndex: 11,
      },
    ],
  },
)
const RetractedToken = component(
  'RetractedToken',
  { token: Address, blockNumber: Type.Integer(), txHash: TxHash, logIndex: Type.Integer() },
  {
    description:
      'A launch or a graduation that a reorganisation of the chain has undone. It may come again in another block.',
    examples: [{ token, blockNumber: 22_414_823, txHash: retractedHash, logIndex: 3 }],
  },
)
const { amounts, timestamp, confirmed, ...ofRetracted } = Transaction.properties
const RetractedTransaction = component('RetractedTransaction', ofRetracted, {
  description:
    'What a wallet did in a block that a reorganisation of the chain has undone. It may come again in another block.',
  examples: [
    {
      ...{ id: `${retractedHash}-11`, type: 'buy', wallet, token, raise: null, proposal: null, pool: null },
      ...{ blockNumber: 22_414_823, txHash: retractedHash, logIndex: 11 },
    },
  ],
})
const RetractedNotification = component(
  'RetractedNotification',
  { id: Type.String({ description: 'The id of the notification.' }) },
  {
    description: 'A notification of something that a reorganisation of the chain has undone. It is no longer listed.',
    examples: [{ id: '311' }],
  },
)
const RemovedComment = component(
  'RemovedComment',
  { id: Type.String({ description: 'The id of the comment.' }), token: Address },
  {
    description:
      'A comment that its author or an operator took away. With replies left to it, the lists keep its place as `removed`.',
    examples: [{ id: '17', token }],
  },
)

interface EventDefinition {
  data: TSchema
  rooms: readonly RoomKind[]
  description: string
}

/**
 * Every event: what it carries, which is what the REST API answers for the same thing, and where it is heard. Of a hidden token
 * only its own room hears.
 */
export const liveEvents = {
  'token.created': { data: Token, rooms: ['tokens', 'feed'], description: 'A token was launched.' },
  'token.updated': { data: Token, rooms: ['token'], description: 'Its state, figures or metadata have changed.' },
  'token.graduated': {
    data: Token,
    rooms: ['tokens', 'feed', 'token'],
    description: 'A token has moved from its curve to its pool.',
  },
  'token.created.retracted': {
    data: RetractedToken,
    rooms: ['tokens', 'feed'],
    description: 'A launch is no more.',
  },
  'token.graduated.retracted': {
    data: RetractedToken,
    rooms: ['tokens', 'feed', 'token'],
    description: 'A graduation is no more.',
  },
  trade: { data: Trade, rooms: ['trades', 'feed', 'token'], description: 'A token was bought or sold.' },
  'trade.retracted': { data: RetractedTrade, rooms: ['trades', 'feed', 'token'], description: 'A trade is no more.' },
  candle: { data: CurrentCandles, rooms: ['token'], description: 'The last candles of the charts have changed.' },
  comment: { data: Comment, rooms: ['token', 'feed'], description: 'Somebody said something about the token.' },
  'comment.removed': { data: RemovedComment, rooms: ['token', 'feed'], description: 'A comment is no longer shown.' },
  notification: { data: Notification, rooms: ['wallet'], description: 'The wallet was told something.' },
  'notification.retracted': {
    data: RetractedNotification,
    rooms: ['wallet'],
    description: 'A notification is no more.',
  },
  transaction: {
    data: Transaction,
    rooms: ['wallet', 'raises', 'raise', 'staking'],
    description: 'The wallet, or somebody in the raise or the pools, did something on the chain.',
  },
  'transaction.retracted': {
    data: RetractedTransaction,
    rooms: ['wallet', 'raises', 'raise', 'staking'],
    description: 'A transaction is no more.',
  },
  'raise.updated': {
    data: Raise,
    rooms: ['raises', 'raise'],
    description: 'What is said about the raise has changed. What is done in it is told by transactions.',
  },
  stats: { data: Statistics, rooms: ['stats'], description: 'The figures have changed.' },
} as const satisfies Record<string, EventDefinition>
export type LiveEventType = keyof typeof liveEvents

/** The message of an event. */
export const EventMessage = (type: LiveEventType) => {
  const { data, description } = liveEvents[type]
  return Type.Object(
    { type: Type.Literal(type), room: RoomName, seq: Sequence, data: ref(data as TSchema) },
    {
      description,
      examples: [{ type, room: rooms[liveEvents[type].rooms[0]].example, seq: 90_212, data: data.examples[0] }],
    },
  )
}

export const components = [
  CurrentCandles,
  RetractedTrade,
  RetractedToken,
  RetractedTransaction,
  RetractedNotification,
  RemovedComment,
]
