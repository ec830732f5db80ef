import type { FastifyInstance } from 'fastify'
import { AppError } from '../../errors.ts'
import { ReplayGapError } from '../../features/live/sockets/catch-up.ts'
import type { Connection } from '../../features/live/sockets/connection.ts'
import { frameEvent, frameText } from '../../features/live/sockets/frame.ts'
import { type DefinedView, defineView, findNamedView } from '../../features/views/definition.ts'
import type { View } from '../../features/views/view.ts'
import { viewProperties } from '../../schemas/view-query.ts'
import { explain, refuse, type SubscribeMessage } from './answer.ts'

/** The room that stands for the view of a filter. */
const ANY = 'view'
const PREFIX = 'view:'
const fields = Object.keys(viewProperties) as (keyof typeof viewProperties)[]

/** Whether a message subscribes to a view, or has fields that only such a message may have. */
export const isOfView = (message: SubscribeMessage): boolean =>
  message.room === ANY ||
  message.room.toLowerCase().startsWith(PREFIX) ||
  fields.some((field) => message[field] !== undefined)

/** Subscribes to a view: with `since` its missed events follow, else the response has its tokens. */
export async function subscribeToView(
  app: FastifyInstance,
  connection: Connection,
  message: SubscribeMessage,
): Promise<void> {
  const { hub } = app.sockets
  let room: string | undefined
  try {
    const defined = readView(app, message)
    if (defined === undefined) return refuse(connection, 'UNKNOWN_ROOM', 'There is no such view here', message)
    room = defined.name
    checkLimits(app, connection, room)
    const { view, release } = await app.views.open(defined, { owner: connection.address, since: message.since })
    try {
      if (connection.open) join(app, connection, view, message)
    } finally {
      release()
    }
  } catch (error) {
    // After an error the socket is not in the room, unless the message is rejected for its rate: an earlier subscription stays.
    const isRate = error instanceof LimitError && error.code === 'RATE_LIMITED'
    if (room !== undefined && !isRate) hub.unsubscribe(connection, room)
    const [code, text] = error instanceof LimitError ? ([error.code, error.message] as const) : explain(app, error)
    refuse(connection, code, text, { id: message.id, ...(room !== undefined && { room }) })
  }
}

class LimitError extends Error {
  override readonly name = 'LimitError'
  readonly code: 'ROOM_LIMIT' | 'RATE_LIMITED'

  constructor(code: LimitError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** The view that a message asks for; undefined if its name is unknown. Throws INVALID_INPUT. */
function readView(app: FastifyInstance, { room, ...query }: SubscribeMessage): DefinedView | undefined {
  if (room === ANY) return defineView(query)
  const [field] = fields.filter((name) => query[name] !== undefined)
  if (field) throw new AppError('INVALID_INPUT', { field: `message.${field}`, problem: `needs the room ${ANY}` })
  const name = room.toLowerCase()
  return findNamedView(name) ?? app.views.find(name)?.defined
}

function checkLimits({ sockets: { hub } }: FastifyInstance, connection: Connection, name: string): void {
  if (hub.isSubscribed(connection, name)) return
  const { rooms, views } = hub.limits
  if (hub.countChannels(connection) >= rooms) throw new LimitError('ROOM_LIMIT', `A socket may be in ${rooms} rooms`)
  const joined = hub.subscriptionsOf(connection).filter(({ channel }) => channel.name.startsWith(PREFIX))
  if (joined.length >= views) throw new LimitError('ROOM_LIMIT', `A socket may have ${views} views`)
}

/** In one tick, so that the events of the next point follow. */
function join(app: FastifyInstance, connection: Connection, view: View, { id, since }: SubscribeMessage): void {
  const { views, sockets } = app
  const missed = since === undefined ? [] : views.replay(view, since)
  if (missed === null) throw new ReplayGapError('The events after since are not known here')
  const snapshot = since === undefined ? `,"snapshot":${view.snapshot}` : ''
  const head = JSON.stringify({
    type: 'subscribed',
    room: view.name,
    ...(id !== undefined && { id }),
    seq: since ?? views.seq,
  })
  const frames = [frameText(`${head.slice(0, -1)}${snapshot}}`)]
  for (const event of missed) frames.push(frameEvent(event, view.name))
  const bytes = Buffer.concat(frames)
  if (!connection.countSnapshot(bytes.length))
    throw new LimitError('RATE_LIMITED', 'Too many snapshots for this socket; wait a minute')
  sockets.hub.subscribe(connection, view.name)
  if (connection.write(bytes)) sockets.hub.countReplayed(missed.length)
}
