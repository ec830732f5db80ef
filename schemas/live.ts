import { type Static, type TSchema, type TString, Type } from '@sinclair/typebox'
import { Closed, OneOf, ref } from './common.ts'
import { viewProperties } from './view-query.ts'

/** Patterns of channel parameters (the part after the colon), in lower case. */
export const parameters = {
  address: '0x[0-9a-f]{40}',
  raise: '0x[0-9a-f]{40}-(?:0|[1-9][0-9]{0,77})',
  view: '(?:new|graduating|graduated|[0-9a-f]{32})',
} as const

/** A channel of the socket, which the wire protocol calls a room. */
export interface Channel {
  parameter?: keyof typeof parameters
  /** Requires a token of the wallet in the parameter. */
  isPrivate?: boolean
  description: string
  /** Name of an example channel. */
  example: string
}

/** A live event; its data is a REST API record. Events of a hidden token go to that token’s channel only. */
export interface LiveEvent {
  data: TSchema
  /** Channel names without parameters. */
  channels: readonly string[]
  description: string
}

const EXAMPLES = ['trades', 'token:0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0']

const RoomGiven = Type.String({
  minLength: 1,
  maxLength: 128,
  description:
    'Name of a channel. Some names end in an address or an id, in any letter case. `view` stands for the view of a filter.',
  examples: EXAMPLES,
})
/** Schema of channel names in messages from the service. */
export const roomName = (channels: Record<string, Channel>): TString =>
  Type.String({
    pattern: `^(${Object.entries(channels)
      .map(([kind, { parameter }]) => (parameter ? `${kind}:${parameters[parameter]}` : kind))
      .join('|')})$`,
    description: 'Name of the channel, with addresses in lower case.',
    examples: EXAMPLES,
  })

// One schema with two types: validation errors of a union describe its first member only.
const RequestId = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  maxLength: 64,
  minimum: 0,
  maximum: 2 ** 53 - 1,
  description: 'Chosen by the client and returned in the response.',
  examples: ['a1'],
})
const id = Type.Optional(RequestId)
const Sequence = Type.Integer({
  minimum: 0,
  maximum: 2 ** 53 - 1,
  description: 'Increases with every event of the service, so there are gaps within one channel.',
  examples: [90_211],
})

export const Subscribe = Closed(
  {
    type: Type.Literal('subscribe'),
    room: RoomGiven,
    id,
    token: Type.Optional(
      Type.String({ maxLength: 4_096, description: 'A bearer token, for the private channel of its wallet.' }),
    ),
    since: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 53 - 1,
        description: 'seq of the last event received. Later events of the channel are replayed first.',
        examples: [90_200],
      }),
    ),
    ...viewProperties,
  },
  {
    description: 'Subscribes to a channel. A second subscription to it replaces the first.',
    examples: [
      { type: 'subscribe', room: 'trades', id: 'a1' },
      {
        type: 'subscribe',
        room: 'view',
        filter: { status: 'curve', 'minVolumeUsd.h1': 500 },
        sort: 'volume',
        limit: 50,
      },
    ],
  },
)
export const Unsubscribe = Closed(
  { type: Type.Literal('unsubscribe'), room: RoomGiven, id },
  { description: 'Ends a subscription.', examples: [{ type: 'unsubscribe', room: 'trades', id: 'a2' }] },
)
export const Ping = Closed(
  { type: Type.Literal('ping'), room: Type.Optional(RoomGiven), id },
  {
    description: 'Requests a pong, for clients that cannot access WebSocket ping frames.',
    examples: [{ type: 'ping', id: 1 }],
  },
)
/** Client messages, by type. */
export const clientMessages = { subscribe: Subscribe, unsubscribe: Unsubscribe, ping: Ping } as const
export type ClientMessage = Static<typeof Subscribe> | Static<typeof Unsubscribe> | Static<typeof Ping>

export const errorCodes = {
  RATE_LIMITED: 'Too many messages from this socket; this one was not handled.',
  ROOM_LIMIT: 'The socket has as many subscriptions as it may have, or there are as many views as there may be.',
  UNAUTHORIZED:
    'The channel needs a token of its wallet. With a room and no id: the token of a subscription has expired or was revoked.',
  UNKNOWN_ROOM: 'There is no such channel.',
  BAD_MESSAGE: 'The message is not JSON or does not match the schema.',
  REPLAY_GAP: 'Events after `since` are no longer stored: read the state again, then subscribe without `since`.',
  UNAVAILABLE: 'A dependency does not answer; try again shortly.',
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
    message: Type.String({ description: 'Human-readable description of the error.' }),
    room: Type.Optional(
      Type.String({ description: 'The channel that the socket is not, or no longer, subscribed to.' }),
    ),
    id,
  },
  {
    description: 'A message failed, or a subscription ended. The socket stays open.',
    examples: [{ type: 'error', code: 'UNKNOWN_ROOM', message: 'There is no such room', room: 'nowhere', id: 'a3' }],
  },
)
/** Server messages other than events, by type. `room` is the schema of roomName. */
export const serverMessages = (room: TString) => ({
  subscribed: Closed(
    {
      type: Type.Literal('subscribed'),
      room,
      id,
      seq: Type.Integer({
        ...Sequence,
        description: 'All later events of the channel follow. Equals `since` if it was given.',
      }),
      snapshot: Type.Optional(
        Type.Array(Type.Ref('Token'), {
          description: 'The tokens of a view in order, if `since` was not given. Later events change this list.',
        }),
      ),
    },
    {
      description: 'The socket is subscribed.',
      examples: [{ type: 'subscribed', room: 'trades', id: 'a1', seq: 90_211 }],
    },
  ),
  unsubscribed: Closed(
    { type: Type.Literal('unsubscribed'), room, id },
    {
      description: 'No further events of this channel follow.',
      examples: [{ type: 'unsubscribed', room: 'trades', id: 'a2' }],
    },
  ),
  pong: Closed(
    { type: Type.Literal('pong'), room: Type.Optional(RoomGiven), id },
    { description: 'Response to a ping.', examples: [{ type: 'pong', id: 1 }] },
  ),
  error: SocketError,
})
export type ServerMessage = Static<ReturnType<typeof serverMessages>[keyof ReturnType<typeof serverMessages>]>

/** The message of an event. */
export const eventMessage = (
  room: TString,
  type: string,
  { data, description, example }: Pick<LiveEvent, 'data' | 'description'> & { example: string },
) =>
  Type.Object(
    { type: Type.Literal(type), room, seq: Sequence, data: ref(data) },
    { description, examples: [{ type, room: example, seq: 90_212, data: data.examples?.[0] }] },
  )
