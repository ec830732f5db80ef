import type { Room } from '../rooms.ts'
import type { RoomMessage } from '../socket.ts'
import type { Schema } from '../types.ts'

/** The token after an event of its channel. undefined if it must be requested again: a graduation was undone. */
export function withTokenEvent(token: Schema<'Token'>, message: RoomMessage<Room>): Schema<'Token'> | undefined {
  if (message.type === 'token.graduated.retracted') return undefined
  if (message.type !== 'token.updated' && message.type !== 'token.graduated') return token
  // Events go to everyone, so they lack what depends on the signed-in wallet; and the risk, which only a request reads.
  const { likedByMe, watchedByMe, risk, suspicious } = token
  return {
    ...message.data,
    likedByMe,
    watchedByMe,
    ...(risk !== undefined && { risk, suspicious: suspicious ?? null }),
  }
}
