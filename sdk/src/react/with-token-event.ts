import type { Room } from '../rooms.ts'
import type { RoomMessage } from '../socket.ts'
import type { Schema } from '../types.ts'

/** Events that change the token, but do not contain it: it must be requested again. */
const REQUESTED = ['token.graduated.retracted', 'comment', 'comment.removed'] as const

/** The token after an event of its channel. undefined if it must be requested again. */
export function withTokenEvent(token: Schema<'Token'>, message: RoomMessage<Room>): Schema<'Token'> | undefined {
  if ((REQUESTED as readonly string[]).includes(message.type)) return undefined
  // No event contains the risk, which trades change.
  if (message.type === 'trade' || message.type === 'trade.retracted') return token.risk ? undefined : token
  if (message.type !== 'token.updated' && message.type !== 'token.graduated') return token
  // Events go to everyone, so they lack what depends on the signed-in wallet.
  const { likedByMe, watchedByMe, risk, suspicious } = token
  return {
    ...message.data,
    likedByMe,
    watchedByMe,
    ...(risk !== undefined && { risk, suspicious: suspicious ?? null }),
  }
}
