import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import S3rver from 's3rver'
import t, { type Test } from 'tap'
import { isAppError } from '../../errors.ts'
import { createStorage } from '../../lib/storage/create-storage.ts'
import type { Storage } from '../../lib/storage/storage.ts'
import { testConfig } from '../support/app.ts'

const NAME = `${'ab'.repeat(32)}.webp`
const OTHER = `${'cd'.repeat(32)}.json`

const server = new S3rver({
  port: 0,
  address: '127.0.0.1',
  silent: true,
  directory: t.testdir({}),
  configureBuckets: [{ name: 'uploads' }],
})
const { port } = await server.run()
t.teardown(() => server.close())
const s3 = (env: Record<string, string> = {}) =>
  createStorage(
    testConfig({
      S3_BUCKET: 'uploads',
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
      ...env,
    }),
  )

const behavesAsStorage = (kind: string, storage: Storage) =>
  t.test(kind, async (t) => {
    t.teardown(() => storage.close())

    t.test('returns stored files', async (t) => {
      const bytes = Buffer.from('0123456789'.repeat(20_000))
      await storage.put(NAME, bytes, 'image/webp')
      t.equal(await storage.measure(NAME), bytes.length)
      const file = await storage.open(NAME)
      t.equal(file?.size, bytes.length)
      t.ok((await buffer(file!.body)).equals(bytes))
    })

    t.test('returns a range with the total size', async (t) => {
      const file = await storage.open(NAME, { start: 3, end: 12 })
      t.equal(file?.size, 200_000)
      t.equal((await buffer(file!.body)).toString(), '3456789012')
    })

    t.test('stores a file that is put concurrently', async (t) => {
      const bytes = Buffer.from('{"name":"A"}')
      await Promise.all(Array.from({ length: 8 }, () => storage.put(OTHER, bytes, 'application/json')))
      t.ok((await buffer((await storage.open(OTHER))!.body)).equals(bytes))
    })

    t.test('reports missing files', async (t) => {
      const missing = `${'00'.repeat(32)}.webp`
      t.equal(await storage.measure(missing), null)
      t.equal(await storage.open(missing), null)
      t.equal(await storage.open(missing, { start: 0, end: 1 }), null)
    })
  })

behavesAsStorage('uploads in a folder', createStorage({ s3: null, dataDir: t.testdir({}) }))
behavesAsStorage('uploads in a bucket', s3())

const unavailable = async (t: Test, storage: Storage) => {
  t.teardown(() => storage.close())
  for (const work of [
    () => storage.put(NAME, Buffer.from('a'), 'image/webp'),
    () => storage.measure(NAME),
    () => storage.open(NAME),
  ]) {
    const error = await work().catch((thrown: unknown) => thrown)
    t.ok(isAppError(error, 'STORAGE_UNAVAILABLE'))
  }
}

t.test('an invalid folder is reported as unavailable storage', async (t) => {
  const dataDir = t.testdir({ uploads: 'a file' })
  await unavailable(t, createStorage({ s3: null, dataDir: join(dataDir, '.') }))
})

t.test('a missing bucket is reported as unavailable storage', async (t) => {
  const storage = s3({ S3_BUCKET: 'elsewhere' })
  t.teardown(() => storage.close())
  const error = await storage.put(NAME, Buffer.from('a'), 'image/webp').catch((thrown: unknown) => thrown)
  t.ok(isAppError(error, 'STORAGE_UNAVAILABLE'))
})

t.test('a failing server is reported as unavailable storage', async (t) => {
  const failing = createServer((_request, response) => response.writeHead(500).end())
  await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve))
  t.teardown(() => failing.close())
  await unavailable(t, s3({ S3_ENDPOINT: `http://127.0.0.1:${(failing.address() as AddressInfo).port}` }))
})
