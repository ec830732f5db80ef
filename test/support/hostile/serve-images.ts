import { hash } from 'node:crypto'
import sharp from 'sharp'
import type { Test } from 'tap'
import { createMarketApp, type MarketApp } from '../market-app.ts'
import { creatorOf, tokenAddress } from '../market-simulation.ts'
import { makeMultipart } from '../multipart.ts'
import { nameMetadata } from '../name-metadata.ts'
import { createRandom } from '../seeded-random.ts'
import type { HostileImage } from './images.ts'

const AT_ONCE = 4
const TOKENS = 24

/** The app on a market, with a folder for uploads, and without a node. */
export const createHostileApp = (t: Test): Promise<MarketApp> =>
  createMarketApp(t, { FETCH_METADATA: 'inline', DATA_DIR: t.testdir({}) })

async function inTurn<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  const entries = items.entries()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [index, item] of entries) await work(item, index)
    }),
  )
}

/** Uploads every image. Each is accepted, rejected with the documented status, or deferred with Retry-After. */
export async function uploadAll(t: Test, { app }: MarketApp, images: readonly HostileImage[]): Promise<void> {
  await inTurn(images, async ({ name, bytes }, index) => {
    const { headers, payload } = makeMultipart({ name: 'file', filename: 'a.png', content: bytes })
    const authorization = `Bearer ${app.issueToken(creatorOf(index % TOKENS))}`
    const url = '/uploads/image'
    const answer = await app.inject({ method: 'POST', url, headers: { ...headers, authorization }, payload })
    const isHonest = answer.statusCode === 503 ? Number(answer.headers['retry-after']) >= 1 : true
    t.ok([200, 400, 413, 415, 503].includes(answer.statusCode) && isHonest, `${name}: ${answer.statusCode}`)
  })
}

/** Names every image in the metadata of a token. An invalid one leaves the token without an image and has no other effect. */
export async function nameAll(t: Test, { app, db }: MarketApp, images: readonly HostileImage[]): Promise<void> {
  for (let from = 0; from < images.length; from += TOKENS) {
    const part = images.slice(from, from + TOKENS)
    await db.updateTable('token_metadata').set({ image_url: null }).execute()
    for (const [index, { type, bytes }] of part.entries())
      await nameMetadata(db, tokenAddress(1 + index), `data:image/${type};base64,${bytes.toString('base64')}`)
    await app.tokenMetadata.readDue()
    t.equal((await app.inject('/live')).statusCode, 200, `alive after ${from + part.length} images of metadata`)
    t.same(await db.selectFrom('metadata_reads').select('token').where('attempts', '=', 0).execute(), [])
  }
}

/** Draws cards of tokens with these images, and with names that attack the layout. */
export async function drawAll(t: Test, { app, db, send }: MarketApp, images: readonly HostileImage[]): Promise<void> {
  for (const [index, { name, bytes }] of images.entries()) {
    const address = tokenAddress(1 + (index % TOKENS))
    const file = `${hash('sha256', bytes, 'hex')}.webp`
    await app.storage.put(file, bytes, 'image/webp')
    const change = { imageUrl: `/uploads/${file}` }
    await send('PATCH', `/tokens/${address}`, change, creatorOf(1 + (index % TOKENS)))
    await db
      .updateTable('tokens')
      .set({ name: hostileName(index) })
      .where('address', '=', address)
      .execute()
    const { statusCode, headers, rawPayload } = await app.inject(`/og/token/${address}`)
    t.same([statusCode, headers['content-type']], [200, 'image/png'], name)
    t.match(await sharp(rawPayload).metadata(), { width: 1200, height: 630 })
  }
}

/** Any code points at all, some of them many times. */
function hostileName(seed: number): string {
  const random = createRandom(seed)
  const parts = ['\u202e', '\u0301', '\u{1f468}\u200d', '﷽', '<svg>&amp;', '\u{e0061}', '\ufdfa', 'W', '字', '\ud7a3']
  const any = () => {
    const point = 1 + random(0x10fffe)
    return point >= 0xd800 && point < 0xe000 ? '\ufffd' : String.fromCodePoint(point)
  }
  return Array.from({ length: 1 + random(60) }, () =>
    random(2) ? any() : (parts[random(parts.length)] as string).repeat(1 + random(40)),
  ).join('')
}
