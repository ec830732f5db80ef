import type { TSchema } from '@sinclair/typebox'
import type { Config } from '../../config/config.ts'
import { dropInternals, SECOND_MOUNT } from '../../plugins/openapi.ts'
import { type Channel, clientMessages, eventMessage, roomName, serverMessages } from '../../schemas/live.ts'
import type { SocketContract } from '../domain.ts'
import { nameSchemas } from './name-schemas.ts'

interface Message {
  name: string
  summary: string
  payload: TSchema
  examples: { payload: unknown }[]
}

const toMessage = (name: string, schema: TSchema): Message => {
  const { description, examples, ...payload } = schema
  return {
    name,
    summary: String(description),
    payload: payload as TSchema,
    examples: (examples as unknown[]).map((example) => ({ payload: example })),
  }
}

const replies = { subscribe: ['subscribed', 'error'], unsubscribe: ['unsubscribed', 'error'], ping: ['pong', 'error'] }

type Messages = Record<string, Message>

function listMessages({ channels, events }: SocketContract): Messages {
  const room = roomName(channels)
  const ofEvents = Object.entries(events).map(
    ([
      type,
      {
        data,
        description,
        channels: [first = ''],
      },
    ]) => {
      const { example = first } = channels[first] ?? {}
      return [type, eventMessage(room, type, { data, description, example })] as const
    },
  )
  return Object.fromEntries(
    [...Object.entries({ ...clientMessages, ...serverMessages(room) }), ...ofEvents].map(([name, schema]) => [
      name,
      toMessage(name, schema),
    ]),
  )
}

const inChannel = (name: string) => ({ $ref: `#/channels/socket/messages/${name}` })

/** The WebSocket as an AsyncAPI document, from the schemas that validate and build its messages. */
export function describeSocket(
  { brand, version, publicUrl }: Pick<Config, 'brand' | 'version' | 'publicUrl'>,
  socket: SocketContract,
  shared: readonly unknown[],
): object {
  const messages = listMessages(socket)
  const { host, protocol, pathname } = new URL(publicUrl)
  const server = (prefix: string, description: string) => ({
    host,
    protocol: protocol === 'https:' ? 'wss' : 'ws',
    pathname: pathname.replace(/\/$/, '') + prefix || '/',
    description,
  })
  const document = localize({
    asyncapi: '3.0.0',
    info: {
      title: `${brand.name} socket`,
      version,
      description:
        'Live events of the launchpad. One WebSocket, with JSON text messages in both directions. A client ' +
        'subscribes to channels (rooms) and receives their events in order, each after the commit that it ' +
        'describes.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: { root: server('', 'The root'), api: server(SECOND_MOUNT, 'The same under a prefix') },
    channels: {
      socket: {
        address: '/ws',
        title: 'The socket',
        description: 'A GET request with an upgrade to WebSocket; without an upgrade it returns 426.',
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: {
          ws: {
            method: 'GET',
            query: {
              type: 'object',
              properties: {
                token: {
                  type: 'string',
                  description: 'A bearer token, for clients that can send it neither in a header nor in subscribe.',
                },
              },
            },
            headers: {
              type: 'object',
              properties: { authorization: { type: 'string', description: '`Bearer <token>`.' } },
            },
          },
        },
      },
    },
    operations: { ...describeRequests(messages), ...describeChannels(socket), tellOfTrouble: describeTrouble() },
    components: {
      messages,
      schemas: findUsed(messages, [...shared, ...Object.values(socket.events).map(({ data }) => data)]),
    },
  })
  nameSchemas(document.components)
  return document
}

/** Client messages with their replies. */
const describeRequests = (messages: Messages) =>
  Object.fromEntries(
    Object.entries(replies).map(([name, answer]) => [
      name,
      {
        action: 'receive',
        channel: { $ref: '#/channels/socket' },
        summary: messages[name]?.summary,
        messages: [inChannel(name)],
        reply: { channel: { $ref: '#/channels/socket' }, messages: answer.map(inChannel) },
      },
    ]),
  )

/** Events of each channel. */
const describeChannels = ({ channels, events }: SocketContract) =>
  Object.fromEntries(
    Object.entries(channels).map(([kind, { parameter, description }]: [string, Channel]) => {
      const operation = {
        action: 'send',
        channel: { $ref: '#/channels/socket' },
        title: `Room ${parameter ? `${kind}:<${parameter === 'address' ? 'address' : 'id'}>` : kind}`,
        summary: description,
        messages: Object.keys(events)
          .filter((type) => events[type]?.channels.includes(kind))
          .map(inChannel),
      }
      return [`hear${kind[0]?.toUpperCase()}${kind.slice(1)}`, operation]
    }),
  )

const describeTrouble = () => ({
  action: 'send',
  channel: { $ref: '#/channels/socket' },
  summary: 'A subscription ended, or a message failed.',
  messages: [inChannel('error')],
})

/** Components referenced by the messages, directly or indirectly. */
function findUsed(messages: Messages, known: readonly unknown[]): Record<string, unknown> {
  const byName = new Map((known as { $id: string }[]).map(({ $id, ...schema }) => [$id, schema]))
  const used: Record<string, unknown> = {}
  const visit = (value: unknown) => {
    for (const [, name] of JSON.stringify(value).matchAll(/"\$ref":"([A-Za-z]+)"/g)) {
      if (name === undefined || name in used) continue
      const schema = byName.get(name)
      used[name] = schema
      visit(schema)
    }
  }
  visit(messages)
  return Object.fromEntries(Object.entries(used).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Rewrites references to components of this document, and removes keywords that only the validator uses. */
const localize = <Document extends object>(document: Document): Document =>
  JSON.parse(
    JSON.stringify(dropInternals(document)).replace(/"\$ref":"([A-Za-z]+)"/g, '"$ref":"#/components/schemas/$1"'),
  )
