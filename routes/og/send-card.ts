import type { FastifyReply } from 'fastify'
import type { CardRequest } from '../../features/link-previews/key.ts'
import { matchesTag } from '../../lib/http/caching-headers.ts'

/** Answers with the image of a card. */
export async function sendCard(reply: FastifyReply, wanted: CardRequest) {
  const { cards } = reply.server
  reply.headers({ etag: `"${cards.keyOf(wanted)}"`, 'cache-control': 'public, max-age=60' })
  // An onSend hook turns this into a 304; nothing is drawn.
  if (matchesTag(reply.request.headers['if-none-match'], String(reply.getHeader('etag')))) return reply.send('')
  const { png, key, fresh } = await cards.draw(wanted)
  // A fallback card must not be cached longer than its cause lasts.
  if (!fresh) reply.headers({ etag: `"${key}"`, 'cache-control': 'public, max-age=5' })
  return reply.type('image/png').send(png)
}
