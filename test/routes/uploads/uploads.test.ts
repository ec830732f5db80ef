import { hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Static } from '@sinclair/typebox'
import sharp from 'sharp'
import t from 'tap'
import type { UploadedImage } from '../../../schemas/uploads.ts'
import { makeMultipart, type Part } from '../../support/multipart.ts'
import { canvas, createUploadApp } from '../../support/upload-app.ts'

type Image = Static<typeof UploadedImage>

const { app, folder, post, ...rest } = await createUploadApp(t)
const upload = (content: Buffer, part?: Partial<Part>) => rest.upload<Image>(content, part)
const png = await canvas(64, 48).png().toBuffer()

const failure = (status: number, error: string) => ({ status, body: { success: false, data: null, error } })

for (const mount of ['', '/api']) {
  t.test(`an image is stored and served under ${mount}/uploads`, async (t) => {
    const { status, body } = await post<Static<typeof UploadedImage>>(
      `${mount}/uploads/image`,
      makeMultipart({ name: 'file', filename: 'a.png', content: png }),
    )
    t.equal(status, 200)
    const { url, sha256, bytes, ...size } = body.data
    t.same(size, { width: 64, height: 48 })
    t.equal(url, `/uploads/${sha256}.webp`)

    const answer = await app.inject(mount + url)
    t.equal(answer.statusCode, 200)
    t.equal(answer.rawPayload.length, bytes)
    t.equal(hash('sha256', answer.rawPayload, 'hex'), sha256)
    t.match(answer.headers, {
      'content-type': 'image/webp',
      'content-length': String(bytes),
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `"${sha256}"`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
    })
    t.match(await sharp(answer.rawPayload).metadata(), { format: 'webp', width: 64, height: 48, hasAlpha: true })
  })
}

for (const format of ['png', 'jpeg', 'webp', 'gif'] as const) {
  t.test(`a ${format} is recognized by its content, not by its name`, async (t) => {
    const { status, body } = await upload(await canvas(32, 16).toFormat(format).toBuffer(), {
      filename: 'page.html',
      contentType: 'text/html',
    })
    t.equal(status, 200)
    t.match(body.data, { width: 32, height: 16, url: /^\/uploads\/[0-9a-f]{64}\.webp$/ })
  })
}

t.test('equal images have one address and one file', async (t) => {
  const [first, second] = await Promise.all([upload(png), upload(png)])
  t.same(first, second)
  const { sha256 } = first.body.data
  t.same(await readdir(join(folder, 'uploads', sha256.slice(0, 2))), [`${sha256}.webp`], 'and no draft of it')
})

t.test('metadata is removed, after its orientation is applied', async (t) => {
  const photo = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#fff' } })
    .withExif({ IFD0: { Copyright: 'secret place' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  t.ok((await sharp(photo).metadata()).exif)
  const { body } = await upload(photo)
  t.match(body.data, { width: 20, height: 40 })
  const served = await sharp((await app.inject(body.data.url)).rawPayload).metadata()
  t.notOk(served.exif || served.icc || served.xmp)
})

t.test('the first frame of an animation is stored', async (t) => {
  const frames = [0, 80, 160].map((shade) => ({ r: shade, g: 0, b: 0 }))
  const pages = await Promise.all(
    frames.map((background) =>
      sharp({ create: { width: 8, height: 8, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )
  const gif = await sharp(pages, { join: { animated: true } })
    .gif()
    .toBuffer()
  t.equal((await sharp(gif).metadata()).pages, 3)
  const { body } = await upload(gif)
  t.match(body.data, { width: 8, height: 8 })
  t.equal((await sharp((await app.inject(body.data.url)).rawPayload).metadata()).pages, undefined)
})

t.test('an image has at most 4096 pixels per side', async (t) => {
  t.equal((await upload(await canvas(4096, 2).png().toBuffer())).status, 200)
  const error = 'Image is larger than 4096 pixels a side'
  t.same(await upload(await canvas(4097, 2).png().toBuffer()), failure(413, error))
  t.same(await upload(await canvas(2, 30_000).png({ compressionLevel: 9 }).toBuffer()), failure(413, error))
})

const kinds = 'Unsupported content type; send a PNG, JPEG, WebP or GIF image'
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
const tiff = await canvas(4, 4).tiff().toBuffer()
for (const [name, content] of [
  ['an SVG', Buffer.from(svg)],
  ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['a TIFF', tiff],
  ['a PDF', Buffer.from('%PDF-1.7\n')],
  ['nothing at all', Buffer.alloc(0)],
] as const) {
  t.test(`${name} is rejected, whatever its declared type`, async (t) => {
    t.same(await upload(content), failure(415, kinds))
  })
}

t.test('a corrupt image is rejected', async (t) => {
  const broken = failure(400, 'body.file is a broken image')
  t.same(await upload(png.subarray(0, 20)), broken)
  t.same(await upload(Buffer.concat([png.subarray(0, 8), Buffer.alloc(500, 7)])), broken)
  const jpeg = await canvas(400, 400).jpeg().toBuffer()
  t.same(await upload(jpeg.subarray(0, jpeg.length / 2)), broken)
})

t.test('a file over 5 MB, or a body that declares more, is rejected', async (t) => {
  t.same(await upload(Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)])), failure(413, 'Request body is too large'))
})

t.test('a body that is not a form with one file is rejected', async (t) => {
  const image = '/uploads/image'
  const wants = failure(415, 'Unsupported content type; send multipart/form-data')
  t.same(await post(image, { payload: { file: 'a' } }), wants)
  t.same(await post(image, { payload: png, headers: { 'content-type': 'image/png' } }), wants)
  t.same(await post(image, { payload: '' }), wants)

  const missing = failure(400, 'body.file is required')
  t.same(await post(image, makeMultipart()), missing)
  t.same(await post(image, makeMultipart({ name: 'file', content: 'just text' })), missing)
  t.same(await post(image, makeMultipart({ name: 'picture', filename: 'a.png', content: png })), missing)

  const unreadable = failure(400, 'body could not be read')
  const { headers, payload } = makeMultipart({ name: 'file', filename: 'a.png', content: png })
  t.same(await post(image, { headers, payload: payload.subarray(0, payload.length - 40) }), unreadable)
  t.same(await post(image, { headers, payload: payload.subarray(0, 30) }), unreadable)
  t.same(await post(image, { headers: { 'content-type': 'multipart/form-data' }, payload }), unreadable)
})

t.test('other fields of the form are ignored', async (t) => {
  const parts = [
    { name: 'note', content: 'hello' },
    { name: 'file', filename: 'a.png', content: png },
  ]
  t.equal((await post('/uploads/image', makeMultipart(...parts))).status, 200)
})

t.test('uploads require a token', async (t) => {
  const form = makeMultipart({ name: 'file', filename: 'a.png', content: png })
  for (const mount of ['', '/api']) {
    t.same(await post(`${mount}/uploads/image`, form, ''), failure(401, 'Missing bearer token'))
    t.same(
      await post(`${mount}/uploads/metadata`, { payload: { name: 'A' } }, ''),
      failure(401, 'Missing bearer token'),
    )
    t.same(await post(`${mount}/uploads/image`, form, 'Bearer a.b.c'), failure(401, 'Invalid or expired token'))
  }
})

t.test(
  'hidden characters are removed from texts of a metadata document, and links with them are rejected with 400',
  async (t) => {
    const hidden = '\u0085\u009b\u202e\u2066\u200b\u200f\u061c\ufeff'
    const payload = { name: `Har${hidden}bour`, symbol: `${hidden}HC`, description: `A\n${hidden}cat.${hidden}` }
    const { body } = await post<{ uri: string }>('/uploads/metadata', { payload })
    const served = await app.inject(new URL(body.data.uri).pathname)
    t.same(served.json(), { name: 'Harbour', symbol: 'HC', description: 'A\ncat.' })
    for (const field of ['name', 'symbol', 'description']) {
      const answer = await post('/uploads/metadata', { payload: { name: 'A', [field]: hidden } })
      t.same([answer.status, answer.body.error], [400, `body.${field} must contain visible text`])
    }
    for (const link of [
      'https://user:pass@host.example',
      'https://user@host.example/a',
      'https://host.example/\u202egnp',
    ])
      for (const field of ['image', 'banner_image', 'featured_image', 'external_link'])
        t.equal(
          (await post('/uploads/metadata', { payload: { name: 'A', [field]: link } })).status,
          400,
          `${field} ${link}`,
        )
    for (const image of ['https://a.example:8443/a.png?b=c#d', 'ipfs://bafybeigdyrzt/é.png', 'ipfs://ipfs/QmAbc/1'])
      t.equal((await post('/uploads/metadata', { payload: { name: 'A', image } })).status, 200, image)
  },
)
