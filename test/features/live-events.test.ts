import { sql } from 'kysely'
import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { enqueueEvents, listEvents } from '../../db/queries/outbox.ts'
import { openLiveBus } from '../../features/live/live-bus.ts'
import type { LiveBus, LiveEvent } from '../../features/live/live-event.ts'
import { openRedisRelay } from '../../features/live/live-redis.ts'
import { createDatabasePlace, createTestDatabase, openTestDatabase, serverUrl } from '../support/database.ts'
import { startRedis } from '../support/servers/redis.ts'
import { singleRedis } from '../support/servers/redis-place.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

t.setTimeout(180_000)

/** Long enough that what comes by the poll alone is not there yet. */
const NEVER = 3_600_000

const redisUrl = process.env.TEST_REDIS_URL
const skip = serverUrl === null && 'PGlite belongs to one process'
const lines: string[] = []
const note = (_: object, message: string) => void lines.push(message)
const log = { info: note, warn: note, error: note }

/** A bus, its events so far, and their data. */
async function openBus(t: Test, options: Omit<Parameters<typeof openLiveBus>[0], 'log'>) {
  const bus = await openLiveBus({ ...options, log })
  t.teardown(() => bus.close())
  const received: LiveEvent[] = []
  bus.subscribe((event) => void received.push(event))
  return { bus, received, texts: () => received.map(({ data }) => data) }
}

/** A database as two processes have it; PGlite, which serves one, twice the same. */
async function openTwice(t: Test) {
  if (serverUrl === null) {
    const only = await createTestDatabase(t)
    return [only, only] as const
  }
  const place = await createDatabasePlace(t)
  return [await openTestDatabase(t, place), await openTestDatabase(t, place)] as const
}

type Db = Parameters<typeof openLiveBus>[0]['db']
const write = (db: Db, ...data: string[]) =>
  db.transaction().execute((trx) =>
    enqueueEvents(
      trx,
      data.map((text) => ({ rooms: ['feed'], type: 'test', data: text })),
    ),
  )
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index))

t.test(
  'what is no message on the channel of Redis is ignored',
  { skip: redisUrl === undefined && 'TEST_REDIS_URL is not set' },
  async (t) => {
    const channel = `test-${process.pid}`
    const received: unknown[] = []
    const relay = openRedisRelay(singleRedis(redisUrl!), {
      channel,
      log,
      onMessage: (message) => received.push(message),
    })
    t.teardown(() => relay.close())
    const client = createClient({ url: redisUrl! })
    await client.connect()
    t.teardown(() => client.destroy())
    const name = `slipway:live:${channel}`
    await waitUntil('it listens', async () => (await client.publish(name, '{"prev":1,"last":2}')) > 0)
    for (const text of ['', 'null', '{}', '{"prev":"1","last":2}', '{"prev":1.5,"last":2}', '{"prev":1}', '[1,2]'])
      await client.publish(name, text)
    await client.publish(name, '{"prev":2,"last":3}')
    await waitUntil('the last message has arrived', async () =>
      received.some((one) => (one as { last: number }).last === 3),
    )
    t.strictSame(received, [
      { prev: 1, last: 2 },
      { prev: 2, last: 3 },
    ])
  },
)

t.test('a bus delivers the events after its opening, once notified, to each subscribed listener', async (t) => {
  const { db } = await createTestDatabase(t)
  await write(db, 'before')
  const { bus, received, texts } = await openBus(t, { db, redis: null, pollMs: NEVER })
  const head = bus.head
  t.equal(head, (await listEvents(db, { after: 0, limit: 1 }))[0]!.seq)
  const others: string[] = []
  const listener = ({ data }: LiveEvent) => void others.push(data)
  const [stop] = [bus.subscribe(listener), bus.subscribe(listener)]
  await write(db, '1', '2')
  bus.notifyCommitted()
  bus.notifyCommitted()
  await waitUntil('both are received', async () => received.length === 2)
  t.match(received, [{ rooms: ['feed'], type: 'test' }, { seq: received[0]!.seq + 1 }])
  t.equal(bus.head, received[1]!.seq)
  t.strictSame(others, ['1', '1', '2', '2'])
  stop()
  stop()
  await write(db, ...range(3, 1_200))
  bus.notifyCommitted()
  await waitUntil('all are received', async () => received.length === 1_200)
  t.strictSame(texts(), range(1, 1_200))
  t.equal(others.length, 4 + 1_198)
  const { events, complete } = await bus.replay('feed', received[1_197]!.seq, 10)
  t.same([events, complete], [received.slice(1_198), true])
})

t.test('a listener that throws or rejects does not affect the others', async (t) => {
  const { db } = await createTestDatabase(t)
  const bus = await openLiveBus({ db, redis: null, log, pollMs: NEVER })
  t.teardown(() => bus.close())
  bus.subscribe(() => {
    throw new Error('at once')
  })
  bus.subscribe((async () => {
    throw new Error('later')
  }) as () => void)
  const received: string[] = []
  bus.subscribe(({ data }) => void received.push(data))
  lines.length = 0
  await write(db, '1', '2')
  bus.notifyCommitted()
  await waitUntil('the working listener has received both', async () => received.length === 2 && lines.length === 4)
  t.strictSame(received, ['1', '2'])
  t.strictSame(new Set(lines), new Set(['A listener of live events failed']))
})

t.test('after failed reads the bus resumes from its position, and the outage is logged once', async (t) => {
  const { db } = await createTestDatabase(t)
  let reads = 0
  const counting = db.withPlugin({
    transformQuery: ({ node }) => {
      reads += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const { received, texts } = await openBus(t, { db: counting, redis: null, pollMs: 20 })
  lines.length = 0
  await sql`alter table outbox rename to outbox_away`.execute(db)
  await waitUntil('it is noticed', async () => lines.length > 0)
  const noticed = reads
  await waitUntil('it is read again and again', async () => reads > noticed + 3)
  await sql`alter table outbox_away rename to outbox`.execute(db)
  await write(db, '1')
  await waitUntil('it is received', async () => received.length === 1)
  await write(db, '2')
  await waitUntil('both are received', async () => received.length === 2)
  t.strictSame(texts(), ['1', '2'])
  t.strictSame(lines, ['Live events cannot be read', 'Live events are read again'])
})

t.test('a read that fails while the bus closes is not reported', async (t) => {
  const { db } = await createTestDatabase(t)
  const { bus } = await openBus(t, { db, redis: null, pollMs: NEVER })
  await sql`alter table outbox rename to outbox_away`.execute(db)
  lines.length = 0
  bus.notifyCommitted()
  await bus.close()
  t.strictSame(lines, [])
})

t.test('a lost notification connection is logged once, and reopened', { skip }, async (t) => {
  const place = await createDatabasePlace(t)
  const { db } = await openTestDatabase(t, place)
  const { received } = await openBus(t, { db, redis: null, databaseUrl: place.databaseUrl, pollMs: NEVER })
  const end = async () => {
    const ended = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen %'`.execute(db)
    return ended.rows.length
  }
  lines.length = 0
  await waitUntil('it listens', async () => (await end()) === 1)
  await write(db, 'meanwhile')
  await waitUntil('it listens again', async () => lines.length === 2)
  t.strictSame(lines, [
    'Live events go without notifications of PostgreSQL',
    'Live events are notified by PostgreSQL again',
  ])
  await waitUntil('what was committed meanwhile is received', async () => received.length === 1)
  await write(db, '1')
  await waitUntil('a notification is received', async () => received.length === 2)
})

t.test('without Redis another process receives events by polling', async (t) => {
  const [one, two] = await openTwice(t)
  const { received, texts } = await openBus(t, { db: one.db, redis: null, pollMs: 20 })
  for (const data of range(1, 20)) await write(two.db, data)
  await waitUntil('all are received', async () => received.length === 20)
  t.strictSame(texts(), range(1, 20))
})

t.test('a notification while the last read ends is not lost', async (t) => {
  const { db } = await createTestDatabase(t)
  let [reads, onResult] = [0, () => {}]
  const counting = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      reads += 1
      onResult()
      return result
    },
  })
  const { bus } = await openBus(t, { db: counting, redis: null, pollMs: NEVER })
  for (const microtasks of range(0, 60)) {
    reads = 0
    onResult = () => {
      onResult = () => {}
      let turn = Promise.resolve()
      for (let left = Number(microtasks); left > 0; left--) turn = turn.then(() => {})
      void turn.then(() => bus.notifyCommitted())
    }
    bus.notifyCommitted()
    await waitUntil(`both wake-ups have read, ${microtasks} microtasks apart`, async () => reads === 2)
  }
})

t.test('two processes share one Redis', async (t) => {
  const redis = await startRedis(t)
  if (!redis) return void t.pass('over Redis', { skip: 'there is no redis-server' })
  const [one, two] = await openTwice(t)

  t.test(
    'each subscriber receives every event of any writer once and in order, by notifications without polling',
    async (t) => {
      const options = { redis: singleRedis(redis.url), pollMs: NEVER }
      const a = await openBus(t, { db: one.db, ...options })
      const b = await openBus(t, { db: two.db, ...options })
      await deliverToEachOther(a.bus, b, one.db)
      const [before, count] = [b.received.length, 60]
      const work = async (db: Db, bus: LiveBus, name: string) => {
        for (let n = 0; n < count; n++) {
          await write(db, `${name}${n}`, `${name}${n}+`)
          bus.notifyCommitted()
        }
      }
      await Promise.all([work(one.db, a.bus, 'a'), work(one.db, a.bus, 'c'), work(two.db, b.bus, 'b')])
      const missing = ({ received }: { received: LiveEvent[] }) => 6 * count + before - received.length
      await waitUntil('both have received all', async () => missing(a) <= 0 && missing(b) <= 0)
      const all = (await listEvents(one.db, { after: 0, limit: 10_000 })).map(({ data }) => data)
      t.strictSame(a.texts(), all.slice(-a.received.length))
      t.strictSame(b.texts(), all.slice(-b.received.length))
      t.equal(missing(a), 0)
      t.equal(missing(b), 0)
      // More than a message holds: it goes without the events, and they are read.
      await write(one.db, 'x'.repeat(400_000))
      a.bus.notifyCommitted()
      await waitUntil('the long one is received', async () => b.received.at(-1)?.data.length === 400_000)
    },
  )

  t.test('a process that missed notifications of events receives them before the next', async (t) => {
    const options = { redis: singleRedis(redis.url), pollMs: NEVER }
    const a = await openBus(t, { db: one.db, ...options })
    const b = await openBus(t, { db: two.db, ...options })
    await deliverToEachOther(a.bus, b, one.db)
    const before = b.received.length
    await write(one.db, 'missed')
    await write(one.db, 'next')
    const events = await listEvents(one.db, { after: b.bus.head, limit: 10 })
    const [missed, next] = events.map(({ seq }) => seq) as [number, number]
    const { channel } = await one.db.selectFrom('outbox_state').select('channel').executeTakeFirstOrThrow()
    // As from a process that published all of its events, the first of which was lost.
    const client = await createClient({ url: redis.url }).connect()
    t.teardown(() => client.destroy())
    const say = (message: object) => client.publish(`slipway:live:${channel}`, JSON.stringify(message))
    await client.publish(`slipway:live:${channel}`, 'no message at all')
    await say({ prev: missed, last: next, events: events.slice(1) })
    await waitUntil('both are received', async () => b.received.length >= before + 2)
    await say({ prev: missed, last: next, events: events.slice(1) })
    await say({ prev: before, last: next, events })
    await write(one.db, 'last')
    a.bus.notifyCommitted()
    await waitUntil('the last is received', async () => b.texts().at(-1) === 'last')
    t.strictSame(b.texts().slice(before), ['missed', 'next', 'last'])
  })

  t.test('events that a process reads before their notification are published on notification', async (t) => {
    const options = { redis: singleRedis(redis.url), pollMs: NEVER }
    const a = await openBus(t, { db: one.db, ...options })
    const b = await openBus(t, { db: two.db, ...options })
    await deliverToEachOther(a.bus, b, one.db)
    const { channel } = await one.db.selectFrom('outbox_state').select('channel').executeTakeFirstOrThrow()
    const name = `slipway:live:${channel}`
    const published: { prev?: number; last?: number; end?: true }[] = []
    const [subscriber, publisher] = await Promise.all([
      createClient({ url: redis.url }).connect(),
      createClient({ url: redis.url }).connect(),
    ])
    t.teardown(() => subscriber.destroy())
    t.teardown(() => publisher.destroy())
    await subscriber.subscribe(name, (text) => void published.push(JSON.parse(text)))

    await write(one.db, 'own')
    await write(two.db, 'of another')
    const [own, other] = (await listEvents(one.db, { after: a.bus.head, limit: 10 })) as [LiveEvent, LiveEvent]
    // The message of another process says that an event came before its own: a reads the table, and publishes nothing.
    await publisher.publish(name, JSON.stringify({ prev: own.seq, last: other.seq, events: [other] }))
    await waitUntil('it has found both', async () => a.texts().at(-1) === 'of another')
    t.equal(a.bus.head, other.seq)
    await waitUntil('the message has arrived here as well', async () => published.length > 0)
    const before = published.length
    a.bus.notifyCommitted()
    await waitUntil('it has published how far it is', async () => published.length > before)
    t.match(published.slice(before), [{ last: other.seq }], 'a process that lost the message reads the table now')
    a.bus.notifyCommitted()
    await write(one.db, 'next')
    a.bus.notifyCommitted()
    await waitUntil('the next is received', async () => b.texts().at(-1) === 'next')
    t.strictSame(b.texts().slice(-3), ['own', 'of another', 'next'])
    // Redis delivers in order: nothing that was published before this message is still on its way after it.
    await publisher.publish(name, JSON.stringify({ end: true }))
    await waitUntil('everything has arrived', async () => published.at(-1)?.end === true)
    t.equal(published.length - 1, before + 2, 'and it is published once')
  })

  t.test('events are delivered by polling while Redis is down, and by notifications after it returns', async (t) => {
    const a = await openBus(t, { db: one.db, redis: singleRedis(redis.url), pollMs: NEVER })
    const polling = await openBus(t, { db: two.db, redis: singleRedis(redis.url), pollMs: 50 })
    const waiting = await openBus(t, { db: two.db, redis: singleRedis(redis.url), pollMs: NEVER })
    await deliverToEachOther(a.bus, waiting, one.db)
    await redis.stop()
    const before = waiting.received.length
    for (const data of range(1, 10)) {
      await write(one.db, data)
      a.bus.notifyCommitted()
    }
    await waitUntil('the poll has found them', async () => polling.texts().includes('10'))
    t.equal(waiting.received.length, before)
    await redis.start()
    await deliverToEachOther(a.bus, waiting, one.db)
    const all = (await listEvents(one.db, { after: 0, limit: 10_000 })).map(({ data }) => data)
    await waitUntil('the poll has found the last', async () => polling.texts().at(-1) === all.at(-1))
    for (const { texts, received } of [a, polling, waiting]) t.strictSame(texts(), all.slice(-received.length))
  })
})

t.test('a relay whose Redis is unreachable at the start warns once', async (t) => {
  const warnings: string[] = []
  const relay = openRedisRelay(singleRedis('redis://127.0.0.1:1'), {
    channel: 'unreachable',
    log: { info: () => {}, warn: (_, message) => void warnings.push(message) },
    onMessage: () => {},
  })
  t.teardown(() => relay.close())
  await waitUntil('it has warned', async () => warnings.length > 0)
  t.same(warnings, ['Live events go without Redis'])
})

t.test('a bus delivers local events although Redis is unreachable at the start', async (t) => {
  const { db } = await createTestDatabase(t)
  const { bus, received, texts } = await openBus(t, { db, redis: singleRedis('redis://127.0.0.1:1'), pollMs: NEVER })
  await write(db, '1')
  bus.notifyCommitted()
  await waitUntil('it is received', async () => received.length === 1)
  t.strictSame(texts(), ['1'])
})

/** Connections are made in the background: writes until word of one has come through. */
async function deliverToEachOther(speaker: LiveBus, listener: { received: LiveEvent[] }, db: Db): Promise<void> {
  const before = listener.received.length
  await waitUntil('word comes through', async () => {
    await write(db, 'hello')
    speaker.notifyCommitted()
    return listener.received.length > before
  })
  const { seq } = (await db.selectFrom('outbox').select('seq').orderBy('seq', 'desc').executeTakeFirstOrThrow()) as {
    seq: number
  }
  await waitUntil('all of them are received', async () => listener.received.at(-1)?.seq === seq)
}
