import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import sharp from 'sharp'
import t from 'tap'
import { BlockedContentError, createCrashBlocklist } from '../../features/images/crash-blocklist.ts'
import { ChildError } from '../../lib/child-pool/start-child.ts'
import { until } from '../acceptance/support/service.ts'
import { createTestPool } from '../support/child-processes/pool.ts'
import { createTestDatabase } from '../support/database.ts'
import { createHostileImages } from '../support/hostile/images.ts'
import { createHostileApp, drawAll, nameAll, uploadAll } from '../support/hostile/serve-images.ts'
import { creatorOf, tokenAddress } from '../support/market-simulation.ts'
import { makeMultipart } from '../support/multipart.ts'
import { nameMetadata } from '../support/name-metadata.ts'

const images = await createHostileImages(50)
const market = await createHostileApp(t)

t.test('uploads of 50 hostile images each get a documented response', (t) => uploadAll(t, market, images))

t.test('metadata with 50 hostile images does not stop the service', (t) => nameAll(t, market, images))

t.test('cards of tokens with hostile names and images are drawn', async (t) => {
  await drawAll(t, market, [...images.slice(0, 3), ...images.slice(-7)])
})

t.test('afterwards an ordinary image is still processed', async (t) => {
  const png = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#e63946' } })
    .png()
    .toBuffer()
  const address = tokenAddress(25)
  const metadataUri = `data:image/png;base64,${png.toString('base64')}`
  await nameMetadata(market.db, address, metadataUri)
  await market.app.tokenMetadata.readDue()
  t.match((await market.read<{ imageUrl: string }>(`/tokens/${address}`)).body.data.imageUrl, /^\/uploads\//)
})

t.test('an upload whose decoder is killed by another process is rejected with 503 and can be retried', async (t) => {
  const authorization = `Bearer ${market.app.issueToken(creatorOf(1))}`
  const upload = (content: Buffer) => {
    const { headers, payload } = makeMultipart({ name: 'file', filename: 'a.png', content })
    const url = '/uploads/image'
    return market.app.inject({ method: 'POST', url, headers: { ...headers, authorization }, payload })
  }
  const draw = (side: number) =>
    sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer()
  // Starts a decoder, which then waits.
  t.equal((await upload(await draw(8))).statusCode, 200)
  const idle = listChildren()
  t.not(idle.size, 0)
  const pending = upload(await draw(1_300))
  const busy = await until(
    async () => [...listChildren()].find(([pid, ticks]) => ticks > (idle.get(pid) ?? ticks) + 2)?.[0] ?? null,
    (pid) => pid !== null,
    'a decoder works',
  )
  process.kill(busy!, 'SIGKILL')
  const interrupted = await pending
  t.match(interrupted, { statusCode: 503, headers: { 'x-error-reason': 'OVERLOADED', 'retry-after': '5' } })
  t.equal((await upload(await draw(8))).statusCode, 200)
})

/** Processor time of the child processes by their ids, in clock ticks. */
function listChildren(): Map<number, number> {
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  return new Map(
    pids.map((pid) => {
      const [, utime, stime] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      return [Number(pid), Number(utime) + Number(stime)]
    }),
  )
}

t.test('an image that crashed a child is never retried: here, on another replica, or after a restart', async (t) => {
  const { db } = await createTestDatabase(t)
  const pool = createTestPool()
  t.teardown(() => pool.close())
  let refused = 0
  const start = (decoders?: string) =>
    createCrashBlocklist({ db, log: market.app.log, onBlocked: () => refused++, ...(decoders && { decoders }) })
  const ask = (memory: ReturnType<typeof start>, content: string, work: 'abort' | 'throw' | 'spin' = 'abort') =>
    memory
      .guard(content, () => pool.run({ do: work }))
      .then(
        () => 'done',
        (error: unknown) => error,
      )
  const memory = start()
  const first = await ask(memory, 'bomb')
  t.ok(first instanceof ChildError && first.reason === 'crash')
  t.ok((await ask(memory, 'bomb')) instanceof BlockedContentError)
  t.ok((await ask(start(), 'bomb')) instanceof BlockedContentError, 'a process that knows only the database')
  t.equal(pool.counts.started, 1)
  t.equal(refused, 2)

  t.ok((await ask(start('sharp 99'), 'bomb')) instanceof ChildError, 'other decoders may try')
  await db
    .updateTable('failed_images')
    .set({ failed_at: new Date(Date.now() - 40 * 86_400_000) })
    .execute()
  t.ok((await ask(start('sharp 99'), 'bomb')) instanceof ChildError, 'and so may all, a month later')

  t.equal(((await ask(memory, 'picture', 'throw')) as Error).message, 'no such picture')
  t.equal(
    ((await ask(memory, 'picture', 'throw')) as Error).message,
    'no such picture',
    'a failure is no end of a child',
  )

  await sql`alter table failed_images rename to failed_images_away`.execute(db)
  t.ok((await ask(memory, 'other bomb')) instanceof ChildError)
  const { started } = pool.counts
  t.ok(
    (await ask(memory, 'other bomb')) instanceof BlockedContentError,
    'without the database, the process itself knows',
  )
  t.equal(pool.counts.started, started)
  t.ok((await ask(start(), 'other bomb')) instanceof ChildError, 'another one does not')
})
