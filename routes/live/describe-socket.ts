import type { TSchema } from '@sinclair/typebox'
import type { Config } from '../../config.ts'
import { dropInternals, SECOND_MOUNT } from '../../plugins/openapi.ts'
import { type Channel, clientMessages, eventMessage, roomName, serverMessages } from '../../schemas/live.ts'
import type { SocketContract } from '../domain.ts'

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

/** The socket as an AsyncAPI document, from the very schemas that check and build its messages. */
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
  return localize({
    asyncapi: '3.0.0',
    info: {
      title: `${brand.name} socket`,
      version,
      description:
        'What happens on the launchpad, as it happens. One WebSocket, JSON text messages both ways; a client subscribes to ' +
        'rooms and hears their events in order, each after the commit that it describes.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: { root: server('', 'The root'), api: server(SECOND_MOUNT, 'The same under a prefix') },
    channels: {
      socket: {
        address: '/ws',
        title: 'The socket',
        description: 'A GET with an upgrade; whoever asks without one is answered 426.',
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
                  description: 'A token of sign-in, where neither a header nor a subscribe can carry it.',
                },
              },
            },
            headers: {
              type: 'object',
              properties: { authorization: { type: 'string', description: 'Bearer and a token of sign-in.' } },
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
}

/** What the service receives, and what it answers. */
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

/** The events that the service sends, channel by channel. */
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
  summary: 'A room is lost, or a message was not understood.',
  messages: [inChannel('error')],
})

/** The components that the messages refer to, and those that these refer to in turn. */
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

/** References to components become references within this document, and what only the validator reads is left out. */
const localize = (document: object): object =>
  JSON.parse(
    JSON.stringify(dropInternals(document)).replace(/"\$ref":"([A-Za-z]+)"/g, '"$ref":"#/components/schemas/$1"'),
  )
