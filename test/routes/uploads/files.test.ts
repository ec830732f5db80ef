import type { Static } from '@sinclair/typebox'
import t from 'tap'
import type { UploadedImage, UploadedMetadata } from '../../../schemas/uploads.ts'
import { canvas, createUploadApp } from '../../support/upload-app.ts'

const { app, post, ...rest } = await createUploadApp(t)
const upload = (content: Buffer) => rest.upload<Static<typeof UploadedImage>>(content)
const png = await canvas(64, 48).png().toBuffer()

const failure = (status: number, error: string) => ({ status, body: { success: false, data: null, error } })

t.test('a metadata document has the field order of the standard, and URLs for paths', async (t) => {
  const image = (await upload(png)).body.data.url
  const said = { image, external_link: 'https://hcat.example.org', name: 'Harbour Cat', symbol: 'HCAT' }
  const { status, body } = await post<Static<typeof UploadedMetadata>>('/api/uploads/metadata', { payload: said })
  t.equal(status, 200)
  const path = body.data.uri.replace('https://launch.example', '')
  t.match(path, /^\/uploads\/[0-9a-f]{64}\.json$/)
  const answer = await app.inject({ url: path, headers: { 'accept-encoding': 'br' } })
  t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  t.equal(answer.headers['content-encoding'], undefined)
  t.equal(
    answer.body,
    JSON.stringify({
      name: 'Harbour Cat',
      symbol: 'HCAT',
      image: `https://launch.example${image}`,
      external_link: 'https://hcat.example.org',
    }),
  )
  const again = await post('/uploads/metadata', { payload: Object.fromEntries(Object.entries(said).reverse()) })
  t.same(again.body, body)
})

const urls = 'must be an https or ipfs URL, or a path under /uploads'
for (const [payload, error] of [
  [{}, 'body.name is required'],
  [{ name: '' }, 'body.name must have at least 1 character'],
  [{ name: 'a\u0000b' }, 'body.name must not contain control characters'],
  [{ name: 'A', image: 'javascript:alert(1)' }, `body.image ${urls}`],
  [{ name: 'A', image: '/uploads/../config' }, `body.image ${urls}`],
  [
    { name: 'A', external_link: 'http://a.example' },
    'body.external_link must be an https URL, with letters, digits, dots and hyphens in its host',
  ],
  [
    { name: 'A', collaborators: ['0x12'] },
    'body.collaborators.0 must be a 0x-prefixed address of 20 bytes in hexadecimal',
  ],
  [{ name: 'A', properties: {} }, 'body.properties is not a known field'],
  [[], 'body must be an object'],
] as const) {
  t.test(`metadata ${JSON.stringify(payload)} is rejected`, async (t) => {
    t.same(await post('/uploads/metadata', { payload }), failure(400, error))
  })
}

t.test('an oversized document or one of another type is rejected', async (t) => {
  const headers = { 'content-type': 'text/plain' }
  t.equal((await post('/uploads/metadata', { payload: 'name=A', headers })).status, 415)
  t.equal((await post('/uploads/metadata', { payload: { name: 'A', description: 'a'.repeat(70_000) } })).status, 413)
})

t.test('files are served whole, by range, or as 304', async (t) => {
  const { url, bytes, sha256 } = (await upload(png)).body.data
  const whole = (await app.inject(url)).rawPayload
  const ask = (headers: object, method: 'GET' | 'HEAD' = 'GET') => app.inject({ method, url, headers: { ...headers } })

  const head = await ask({}, 'HEAD')
  t.same([head.statusCode, head.headers['content-length'], head.body], [200, String(bytes), ''])
  t.equal(head.headers['content-type'], 'image/webp')

  for (const known of [`"${sha256}"`, `W/"${sha256}"`, '*']) {
    const { statusCode, body, headers } = await ask({ 'if-none-match': known })
    t.same([statusCode, body, headers.etag], [304, '', `"${sha256}"`])
  }
  t.equal((await ask({ 'if-none-match': '"other"' })).rawPayload.length, bytes)

  for (const [range, start, end] of [
    ['bytes=0-9', 0, 9],
    ['bytes=10-', 10, bytes - 1],
    ['bytes=-5', bytes - 5, bytes - 1],
    [`bytes=5-${bytes + 100}`, 5, bytes - 1],
  ] as const) {
    const part = await ask({ range })
    t.equal(part.statusCode, 206, range)
    t.equal(part.headers['content-range'], `bytes ${start}-${end}/${bytes}`)
    t.equal(part.headers['content-length'], String(end - start + 1))
    t.same(part.rawPayload, whole.subarray(start, end + 1))
  }
  for (const range of ['bytes=0-1,4-5', 'lines=1-2', 'bytes=-', 'bytes=9-3']) {
    t.equal((await ask({ range })).statusCode, 200, `${range} is passed over`)
  }
  t.equal((await ask({ range: 'bytes=0-9', 'if-range': '"other"' })).statusCode, 200)
  t.equal((await ask({ range: 'bytes=0-9', 'if-range': `"${sha256}"` })).statusCode, 206)
  const outside = await ask({ range: `bytes=${bytes}-` })
  t.same([outside.statusCode, outside.headers['content-range']], [416, `bytes */${bytes}`])
  t.same(outside.json(), { success: false, data: null, error: 'The file has no such range' })
})

for (const name of [
  `${'0'.repeat(64)}.webp`,
  `${'0'.repeat(64)}.png`,
  'a.webp',
  '..%2f',
  '..%2f..%2fpackage.json',
  '%2e%2e%2fconfig',
  '....//....//etc%2fpasswd',
  `${'0'.repeat(64)}.webp%00.json`,
]) {
  t.test(`/uploads/${name} is 404`, async (t) => {
    for (const headers of [{}, { range: 'bytes=0-1' }, { 'if-none-match': '*' }]) {
      const answer = await app.inject({ url: `/api/uploads/${name}`, headers })
      t.equal(answer.statusCode, 404)
      t.match(answer.json(), { success: false, data: null, error: /not found|^No route/ })
      t.equal(answer.headers['cache-control'], 'no-store')
    }
  })
}
