import type { FastifyInstance } from 'fastify'
import { AppError, isAppError } from '../../errors.ts'
import { ReplayGapError } from '../../features/live/sockets/catch-up.ts'
import type { Connection } from '../../features/live/sockets/connection.ts'
import { screenerReasons } from '../../features/screener/screener.ts'
import { ViewLimitError } from '../../features/views/views.ts'
import type { ClientMessage, SocketErrorCode } from '../../schemas/live.ts'

export type SubscribeMessage = Extract<ClientMessage, { type: 'subscribe' }>
export type About = { id?: string | number | undefined; room?: string }

export function refuse(connection: Connection, code: SocketErrorCode, message: string, { id, room }: About): void {
  connection.send({
    type: 'error',
    code,
    message,
    ...(room !== undefined && { room }),
    ...(id !== undefined && { id }),
  })
}

export class WrongToken extends Error {
  override readonly name = 'WrongToken'
}

/** Error code and message for a failed subscribe. */
export function explain(app: FastifyInstance, error: unknown): [code: SocketErrorCode, message: string] {
  if (error instanceof WrongToken || isAppError(error, 'JWT_INVALID')) return ['UNAUTHORIZED', error.message]
  if (isAppError(error, 'INVALID_INPUT')) return ['BAD_MESSAGE', error.message]
  if (error instanceof ViewLimitError) return ['ROOM_LIMIT', error.message]
  if (error instanceof AppError && (error.reason as string) === screenerReasons.FILTERS_NOT_READY.name)
    return ['UNAVAILABLE', error.message]
  if (error instanceof ReplayGapError)
    return ['REPLAY_GAP', 'Events after since are missing here; subscribe without it']
  app.log.warn({ err: error }, 'A subscription could not be served')
  return ['UNAVAILABLE', 'This cannot be answered now; try again shortly']
}
