import { buffer } from 'node:stream/consumers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { findTrader } from '../../db/queries/forensics/top-traders.ts'
import { findAuthors } from '../../db/queries/profiles.ts'
import { findToken, type TokenRow } from '../../db/queries/tokens.ts'
import type { Card } from '../../features/link-previews/card.ts'
import type { CardRequest } from '../../features/link-previews/key.ts'
import { UPLOAD_NAME } from '../../lib/storage/storage.ts'
import { formatCard, formatProfit } from './format-card.ts'
import { readSparkline } from './read-sparkline.ts'

type Wanted = Omit<CardRequest, 'ratio'>

/** Twice the drawn size, for high-density screens. */
const THUMBNAIL = 272

const thumbnails = new LRUCache<string, Buffer>({ max: 100 })

const brandCard: Wanted = { card: { kind: 'brand' } }

/** Content of a token’s link preview. Errors result in the service’s own card. */
export const readTokenCard = (request: FastifyRequest, given: string): Promise<Wanted> =>
  readCard(request, [given], async (row) => formatCard(row, await readSparkline(request.db, row.address)))

/** Content of the image of a wallet’s profit on a token: the service’s own card as well if the wallet did not trade it. */
export const readProfitCard = (request: FastifyRequest, token: string, wallet: string): Promise<Wanted> =>
  readCard(request, [token, wallet], async (row, [, trading = '']) => {
    const trader = await findTrader(request.db, { token: row.address, wallet: trading })
    if (!trader) return brandCard.card
    const authors = await findAuthors(request.db, [trader])
    return formatProfit(row, trader, authors.get(trader.wallet)?.username ?? null)
  })

/** addresses: the token's first. */
async function readCard(
  { db, log, server }: FastifyRequest,
  given: readonly string[],
  format: (row: TokenRow, addresses: readonly string[]) => Promise<Card>,
): Promise<Wanted> {
  const addresses = given.map((address) => address.toLowerCase())
  if (!addresses.every((address) => /^0x[0-9a-f]{40}$/.test(address))) return brandCard
  const subject = addresses.join()
  try {
    const row = await findToken(db, addresses[0] as string)
    if (!row || row.hidden) return brandCard
    const [card, image] = await Promise.all([format(row, addresses), readImage(server, row.image_url)])
    return card.kind === 'brand' ? brandCard : { card, image, subject }
  } catch (error) {
    log.warn({ err: error }, 'A link preview could not be read')
    // The subject allows an earlier card of it to be used instead.
    return { ...brandCard, subject }
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
