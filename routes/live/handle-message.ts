import type { FastifyInstance } from 'fastify'
import type { Grant, Subscription } from '../../features/live/sockets/channel.ts'
import type { Connection } from '../../features/live/sockets/connection.ts'
import { type About, explain, refuse, type SubscribeMessage, WrongToken } from './answer.ts'
import type { ChannelRead, ReadChannel } from './read-channel.ts'
import { readMessage } from './read-message.ts'
import { isOfView, subscribeToView } from './subscribe-to-view.ts'

/** Handles one client message. Failures are sent as error messages; client input never makes it throw. */
export function createMessageHandler(app: FastifyInstance, readChannel: ReadChannel) {
  return async (connection: Connection, text: string): Promise<void> => {
    const read = readMessage(text)
    if ('problem' in read) return refuse(connection, 'BAD_MESSAGE', read.problem, read)
    const { message } = read
    const id = message.id === undefined ? {} : { id: message.id }
    if (message.type === 'ping') {
      return connection.send({ type: 'pong', ...(message.room !== undefined && { room: message.room }), ...id })
    }
    if (message.type === 'subscribe' && isOfView(message)) return subscribeToView(app, connection, message)
    const channel = readChannel(message.room)
    if (!channel) return refuse(connection, 'UNKNOWN_ROOM', 'There is no such room', message)
    if (message.type === 'subscribe') return subscribe(app, connection, channel, message)
    app.sockets.hub.unsubscribe(connection, channel.name)
    connection.send({ type: 'unsubscribed', room: channel.name, ...id })
  }
}

/** Rejects a message over the rate limit, with its id. */
export function refuseExcess(connection: Connection, text: string): void {
  const read = readMessage(text)
  const about = 'message' in read ? { id: read.message.id } : read
  refuse(connection, 'RATE_LIMITED', 'Too many messages from this socket; wait a few seconds', about)
}

async function subscribe(
  app: FastifyInstance,
  connection: Connection,
  channel: ChannelRead,
  message: SubscribeMessage,
) {
  const { hub, catchUp } = app.sockets
  const { since } = message
  const about = { id: message.id, room: channel.name }
  if (!hub.isSubscribed(connection, channel.name) && hub.countChannels(connection) >= hub.limits.rooms)
    return refuse(connection, 'ROOM_LIMIT', `A socket may be in ${hub.limits.rooms} rooms`, about)
  let subscription: Subscription | undefined
  try {
    const grant =
      channel.wallet === null ? null : await authorize(app, channel.wallet, message.token ?? connection.token)
    if (!connection.open) return
    subscription = hub.subscribe(connection, channel.name, { grant, buffered: since !== undefined })
    const sendMissed = since === undefined ? undefined : await catchUp(subscription, since)
    // The subscription may have ended meanwhile, with an error sent to the client.
    if (!hub.has(subscription)) return
    const seq = since ?? app.live.head
    connection.send({
      type: 'subscribed',
      room: channel.name,
      ...(message.id !== undefined && { id: message.id }),
      seq,
    })
    // Not awaited: a long replay must not block an unsubscribe.
    sendMissed?.().catch((error: unknown) => lose(app, subscription as Subscription, error, { room: channel.name }))
  } catch (error) {
    if (subscription) return lose(app, subscription, error, about)
    // Also an earlier subscription, with another token, ends: after an error the socket is not in the room.
    hub.unsubscribe(connection, channel.name)
    refuse(connection, ...explain(app, error), about)
  }
}

/** Checks the token for a wallet’s private channel. Banned wallets are allowed: they may read their own data. */
async function authorize(app: FastifyInstance, wallet: string, token: string | undefined): Promise<Grant> {
  if (token === undefined) throw new WrongToken('This room needs a token of its wallet')
  const claims = await app.readToken(token)
  if (claims.sub !== wallet) throw new WrongToken('The token is another wallet’s')
  return { token, claims }
}

/** Ends a subscription whose replay failed. */
function lose(app: FastifyInstance, member: Subscription, error: unknown, about: About): void {
  const { hub } = app.sockets
  if (!hub.has(member)) return
  hub.remove(member)
  refuse(member.connection, ...explain(app, error), about)
}
