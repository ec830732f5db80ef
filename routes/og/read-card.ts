import { buffer } from 'node:stream/consumers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { findToken } from '../../db/queries/tokens.ts'
import type { CardRequest } from '../../features/link-previews/key.ts'
import { UPLOAD_NAME } from '../../lib/storage/storage.ts'
import { formatCard } from './format-card.ts'
import { readSparkline } from './read-sparkline.ts'

type Wanted = Omit<CardRequest, 'ratio'>

/** Twice the drawn size, for high-density screens. */
const THUMBNAIL = 272

const thumbnails = new LRUCache<string, Buffer>({ max: 100 })

const brandCard: Wanted = { card: { kind: 'brand' } }

/** Content of a token’s link preview. Errors result in the service’s own card. */
export async function readCard({ db, log, server }: FastifyRequest, given: string): Promise<Wanted> {
  const address = given.toLowerCase()
  if (!/^0x[0-9a-f]{40}$/.test(address)) return brandCard
  try {
    const row = await findToken(db, address)
    if (!row || row.hidden) return brandCard
    const [sparkline, image] = await Promise.all([readSparkline(db, address), readImage(server, row.image_url)])
    return { card: formatCard(row, sparkline), image, subject: address }
  } catch (error) {
    log.warn({ err: error }, 'A link preview could not be read')
    // The subject allows an earlier card of the token to be used instead.
    return { ...brandCard, subject: address }
  }
}

/** Only uploaded images are drawn: they are validated, and need no network request. */
async function readImage(
  { images, storage, settings, log }: FastifyInstance,
  url: string | null,
): Promise<NonNullable<Wanted['image']> | null> {
  const path = url?.startsWith(`${settings.publicUrl}/`) ? url.slice(settings.publicUrl.length) : url
  const name = path?.startsWith('/uploads/') ? path.slice('/uploads/'.length) : ''
  if (!UPLOAD_NAME.test(name) || !name.endsWith('.webp')) return null
  try {
    const known = thumbnails.get(name)
    if (known) return { name, png: known }
    const file = await storage.open(name)
    if (!file) return null
    const png = await images.makeThumbnail(await buffer(file.body), THUMBNAIL)
    thumbnails.set(name, png)
    return { name, png }
  } catch (error) {
    log.warn({ err: error }, 'The image of a link preview could not be read')
    return null
  }
}
