import type { FastifyInstance } from 'fastify'
import sharp from 'sharp'
import t from 'tap'
import { makeMultipart } from '../../support/multipart.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { createUploadApp } from '../../support/upload-app.ts'

const { app } = await createUploadApp(t)
const wallets = ['a', 'b', 'c', 'd'].map((letter) => `0x${letter.repeat(40)}`)

/** A PNG of the largest size that is allowed, and nearly 5 MB of it. */
async function createLargest(): Promise<Buffer> {
  const random = createRandom(1)
  const [width, height, channels] = [4_096, 4_096, 3] as const
  const raw = Buffer.alloc(width * height * channels, 90)
  // Noise, which nothing compresses; the rest is of one colour.
  for (let at = 0; at < width * channels * 355; at++) raw[at] = random(256)
  const png = await sharp(raw, { raw: { width, height, channels } }).png({ compressionLevel: 1 }).toBuffer()
  if (png.length < 4_500_000 || png.length > 5 * 1024 * 1024) throw new Error(`${png.length} bytes`)
  return png
}

const send = (to: FastifyInstance, content: Buffer, wallet: string) => {
  const { headers, payload } = makeMultipart({ name: 'file', filename: 'a.png', content })
  const authorization = `Bearer ${to.issueToken(wallet)}`
  return to.inject({ method: 'POST', url: '/uploads/image', headers: { ...headers, authorization }, payload })
}

t.test(
  'of 20 concurrent images of maximum size each is accepted, or rejected with Retry-After and then accepted',
  async (t) => {
    const largest = await createLargest()
    let putOff = 0
    const upload = async (index: number): Promise<void> => {
      // What follows the end of a PNG is passed over: the same picture, and other bytes.
      const content = Buffer.concat([largest, Buffer.from([index])])
      for (;;) {
        const answer = await send(app, content, wallets[index % 2] as string)
        if (answer.statusCode !== 503) return t.equal(answer.statusCode, 200, `picture ${index}`) as never
        const seconds = Number(answer.headers['retry-after'])
        if (!(seconds >= 1 && seconds <= 30)) throw new Error(`Retry-After: ${answer.headers['retry-after']}`)
        putOff++
        await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
      }
    }
    await Promise.all(Array.from({ length: 20 }, (_, index) => upload(index)))
    t.comment(`${putOff} answers were 503`)
    t.ok(putOff > 0, 'there is a bound on what waits')
  },
)

t.test('while one wallet’s images are queued, another’s and a thumbnail are processed', async (t) => {
  const picture = await sharp({ create: { width: 2_000, height: 2_000, channels: 3, background: '#e63946' } })
    .png()
    .toBuffer()
  const done: string[] = []
  const add = async (name: string, work: Promise<unknown>) => {
    await work
    done.push(name)
  }
  const many = Array.from({ length: 9 }, (_, index) =>
    add('first', send(app, Buffer.concat([picture, Buffer.from([index])]), wallets[2] as string)),
  )
  const other = add('second', send(app, picture, wallets[3] as string))
  const thumbnail = app.images.makeThumbnail(picture, 272).then((png) => sharp(png).metadata())
  await other
  t.ok(done.indexOf('second') < 7, `it did not wait for all of the other's: ${done}`)
  t.match(await thumbnail, { width: 272, height: 272 })
  await Promise.all(many)
})
