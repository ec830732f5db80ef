import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import sharp from 'sharp'
import t from 'tap'
import type { Database } from '../../../db/schema.ts'
import { tokenId } from '../../../db/token-ids.ts'
import { formatChange, formatPrice } from '../../../routes/og/format-card.ts'
import { readSparkline } from '../../../routes/og/read-sparkline.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { createTestEvents } from '../../support/live-events.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { creatorOf, tokenAddress } from '../../support/market-simulation.ts'
import { makeMultipart } from '../../support/multipart.ts'

const { app, db, send } = await createMarketApp(t, { DATA_DIR: t.testdir({}) })
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
const graduated = tokenAddress(29)
const onCurve = tokenAddress(28)

t.test('a token’s link preview is equal at both mounts', async (t) => {
  const first = await get(`/og/token/${graduated}`)
  t.equal(first.statusCode, 200)
  t.match(first.headers, {
    'content-type': 'image/png',
    'cache-control': 'public, max-age=60',
    'content-length': String(first.rawPayload.length),
    'x-content-type-options': 'nosniff',
  })
  t.match(await sharp(first.rawPayload).metadata(), { format: 'png', width: 1200, height: 630 })
  const second = await get(`/api/og/token/${graduated.toUpperCase().replace('0X', '0x')}?ratio=1.91:1`)
  t.equal(second.headers.etag, first.headers.etag)
  t.ok(second.rawPayload.equals(first.rawPayload))
  t.not((await get(`/og/token/${onCurve}`)).headers.etag, first.headers.etag)
})

t.test('the image of a profit names the wallet, and is the service’s own without trades', async (t) => {
  const held = await db
    .updateTable('balances')
    .set({ spent: '3000000000000000000' })
    .where('token_id', '=', tokenId(graduated))
    .where('balance', '>', '0')
    .returning('wallet')
    .execute()
  const [{ wallet }, other] = held as unknown as [{ wallet: string }, { wallet: string }]
  const url = `/og/pnl/${graduated}/${wallet}`
  const first = await get(url)
  t.equal(first.statusCode, 200)
  t.match(await sharp(first.rawPayload).metadata(), { format: 'png', width: 1200, height: 630 })
  const second = await get(`/api${url.toUpperCase().replace('/OG/PNL', '/og/pnl').replaceAll('0X', '0x')}`)
  t.ok(second.rawPayload.equals(first.rawPayload))
  const wide = await get(`${url}?ratio=3:2`)
  t.match(await sharp(wide.rawPayload).metadata(), { width: 1200, height: 800 })
  t.not((await get(`/og/pnl/${graduated}/${other.wallet}`)).headers.etag, first.headers.etag)
  await send('PATCH', '/profiles/me', { username: 'captain_of_cards' }, wallet)
  t.not((await get(url)).headers.etag, first.headers.etag, 'a name changes it')

  const own = await get('/og/token/cat')
  const hidden = `${tokenAddress(7)}/${wallet}`
  for (const path of [`${graduated}/0x${'0'.repeat(39)}1`, `${graduated}/cat`, `cat/${wallet}`, `%00/%00`, hidden])
    t.equal((await get(`/og/pnl/${path}`)).headers.etag, own.headers.etag, path)
})

t.test('ratio=3:2 returns the size for mini apps', async (t) => {
  const answer = await get(`/og/token/${graduated}?ratio=3:2`)
  t.match(await sharp(answer.rawPayload).metadata(), { format: 'png', width: 1200, height: 800 })
  t.not(answer.headers.etag, (await get(`/og/token/${graduated}`)).headers.etag)
  const bad = await get(`/og/token/${graduated}?ratio=4:3`)
  t.equal(bad.statusCode, 400)
  t.same(bad.json(), { success: false, data: null, error: 'query.ratio must be one of 1.91:1, 3:2' })
})

t.test('a matching ETag gets 304', async (t) => {
  const url = `/og/token/${graduated}`
  const { headers, rawPayload } = await get(url)
  const again = await get(url, { 'if-none-match': headers.etag as string })
  t.same([again.statusCode, again.body, again.headers.etag], [304, '', headers.etag])
  const head = await app.inject({ method: 'HEAD', url })
  t.same([head.statusCode, head.body, head.headers['content-length']], [200, '', String(rawPayload.length)])
  t.equal((await get(url, { 'if-none-match': '"other"' })).statusCode, 200)
})

t.test('an unknown or hidden token gets the service’s own card with status 200', async (t) => {
  const own = await get('/og/token/0x0000000000000000000000000000000000000001')
  t.equal(own.statusCode, 200)
  t.equal(own.headers['content-type'], 'image/png')
  t.match(await sharp(own.rawPayload).metadata(), { width: 1200, height: 630 })
  for (const address of ['cat', '0x12', `${graduated}00`, '%00', 'a b', tokenAddress(7), '🐱'.repeat(50)]) {
    const answer = await get(`/og/token/${encodeURIComponent(address)}`)
    t.same([answer.statusCode, answer.headers.etag], [200, own.headers.etag], address)
    t.ok(answer.rawPayload.equals(own.rawPayload))
  }
  t.not((await get('/og/token/cat?ratio=3:2')).headers.etag, own.headers.etag)
})

t.test(
  'a sparkline reaches from its lowest to its highest price, and one without changes lies in the middle',
  async (t) => {
    const lines = await Promise.all(Array.from({ length: 30 }, (_, index) => readSparkline(db, tokenAddress(index))))
    const [flat, others] = [
      lines.filter((line) => new Set(line).size === 1),
      lines.filter((line) => new Set(line).size > 1),
    ]
    t.ok(flat.length > 0 && others.length > 0)
    for (const line of flat) t.same(new Set(line), new Set([50]))
    for (const line of others) t.same([Math.min(...line), Math.max(...line)], [0, 100])
  },
)

t.test('a card changes only with its content', async (t) => {
  const url = `/og/token/${onCurve}`
  const tag = async () => (await get(url)).headers.etag
  const before = await tag()
  const set = (change: object) =>
    db.updateTable('token_figures').set(change).where('token_id', '=', tokenId(onCurve)).execute()
  await set({ holder_count: 4_711 })
  t.equal(await tag(), before)
  await set({ status: 'graduated' })
  const after = await tag()
  t.not(after, before)
  await send('PATCH', `/tokens/${onCurve}`, { description: 'Not on the card.' }, creatorOf(28))
  t.equal(await tag(), after)
})

t.test('uploaded images are drawn; external images are not fetched', async (t) => {
  const url = `/og/token/${tokenAddress(27)}`
  const plain = await get(url)
  await send('PATCH', `/tokens/${tokenAddress(27)}`, { imageUrl: 'https://127.0.0.1:1/a.png' }, creatorOf(27))
  t.equal((await get(url)).headers.etag, plain.headers.etag)

  const content = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#e63946' } })
    .png()
    .toBuffer()
  const { headers, payload } = makeMultipart({ name: 'file', filename: 'a.png', content })
  const authorization = `Bearer ${app.issueToken(creatorOf(27))}`
  const upload = await app.inject({
    method: 'POST',
    url: '/uploads/image',
    headers: { ...headers, authorization },
    payload,
  })
  await send('PATCH', `/tokens/${tokenAddress(27)}`, { imageUrl: upload.json().data.url }, creatorOf(27))
  const answer = await get(url)
  t.not(answer.headers.etag, plain.headers.etag)
  const { data, info } = await sharp(answer.rawPayload).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const pixel = (124 * info.width + 132) * info.channels
  const shown = [...data.subarray(pixel, pixel + 3)]
  for (const [at, value] of [0xe6, 0x39, 0x46].entries()) t.ok(Math.abs((shown[at] as number) - value) < 8, `${shown}`)

  await send('PATCH', `/tokens/${tokenAddress(27)}`, { imageUrl: `/uploads/${'0'.repeat(64)}.webp` }, creatorOf(27))
  t.equal((await get(url)).headers.etag, plain.headers.etag, 'one that is gone is none')
})

t.test('an upload that cannot be decoded is logged, and the card is drawn without it', async (t) => {
  const url = `/og/token/${tokenAddress(26)}`
  const plain = await get(url)
  const name = `${'1'.repeat(64)}.webp`
  await app.storage.put(name, Buffer.from('no image'), 'image/webp')
  await send('PATCH', `/tokens/${tokenAddress(26)}`, { imageUrl: `/uploads/${name}` }, creatorOf(26))
  const warn = t.capture(app.log, 'warn')
  const card = await get(url)
  t.same([card.statusCode, card.headers.etag], [200, plain.headers.etag])
  t.match(warn.args(), [[{ err: Error }, 'The image of a link preview could not be read']])
})

t.test('without a price feed the card shows a price and no market cap', async (t) => {
  const { headers } = await get(`/og/token/${graduated}`)
  await db.updateTable('chain_state').set({ quote_usd: null }).execute()
  const answer = await get(`/og/token/${graduated}`)
  t.equal(answer.statusCode, 200)
  t.not(answer.headers.etag, headers.etag)
})

t.test('a hostile name costs no more than an ordinary one', async (t) => {
  const address = tokenAddress(26)
  const name = `${'Z\u0338\u0322'.repeat(4_000)}👨‍👩‍👧‍👦 ﷽ ${'<script>&amp;"'.repeat(500)}`
  await db
    .updateTable('tokens')
    .set({ name, symbol: '\u202E💥'.repeat(3_000) })
    .where('address', '=', address)
    .execute()
  const answer = await get(`/og/token/${address}`)
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['cache-control'], 'public, max-age=60', 'it was drawn')
})

class BrokenDriver extends DummyDriver {
  override acquireConnection(): never {
    throw new Error('The database is down')
  }
}
const dialect = {
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (of: Kysely<Database>) => new PostgresIntrospector(of),
  createQueryCompiler: () => new PostgresQueryCompiler(),
}

t.test(
  'while the database is down, the previous or the service’s own card is returned with a short lifetime',
  async (t) => {
    const { app: alone } = await createTestApp({
      config: testConfig({}),
      services: {
        db: new Kysely<Database>({ dialect: { ...dialect, createDriver: () => new BrokenDriver() } }),
        live: createTestEvents(),
      },
    })
    t.teardown(() => alone.close())
    const answer = await alone.inject(`/og/token/${graduated}`)
    t.same([answer.statusCode, answer.headers['content-type']], [200, 'image/png'])
    t.equal(answer.headers['cache-control'], 'public, max-age=5')
  },
)

for (const [price, text] of [
  [0, '0'],
  [2.5e-13, '0.0₁₂25'],
  [0.00000709, '0.0₅709'],
  [0.00000999999, '0.0₄1'],
  [0.0000421, '0.0₄421'],
  [0.000421, '0.000421'],
  [0.0421, '0.0421'],
  [0.5, '0.5'],
  [0.9999, '1.00'],
  [1, '1.00'],
  [1234.567, '1,234.57'],
  [4.2e9, '4.2B'],
] as const)
  t.equal(formatPrice(price), text)

for (const [change, text] of [
  [0, '0.00%'],
  [0.001, '0.00%'],
  [-0.4, '−0.40%'],
  [89.0625, '+89.06%'],
  [3204.4, '+3,204%'],
  [-100, '−100.00%'],
  [1_234_567, '+1.23M%'],
] as const)
  t.equal(formatChange(change), text)
