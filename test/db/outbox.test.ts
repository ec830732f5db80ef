import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import type { Db } from '../../db/client.ts'
import {
  buildReplay,
  enqueueEvents,
  listEvents,
  type NewEvent,
  replayChannel,
  trimOutbox,
} from '../../db/queries/outbox.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'

t.setTimeout(180_000)

const event = (data: string, ...rooms: string[]): NewEvent => ({
  rooms: rooms.length > 0 ? rooms : ['tokens'],
  type: 'told',
  data,
})
const commit = (db: Db, ...events: NewEvent[]) => db.transaction().execute((trx) => enqueueEvents(trx, events))
const dataOf = (events: readonly { data: string }[]) => events.map(({ data }) => data)

t.test('a reader that continues from its last event misses no event of concurrent writers', async (t) => {
  const { db, kind } = await createTestDatabase(t)
  const [writers, rounds] = kind === 'postgres' ? [12, 25] : [3, 10]
  const write = async (writer: number) => {
    for (let round = 0; round < rounds; round++) {
      const gaveUp = db.transaction().execute(async (trx) => {
        await sql`select pg_sleep(${Math.random() * 0.004})`.execute(trx)
        await enqueueEvents(trx, [event(`${writer}/${round}/a`), event(`${writer}/${round}/b`)])
        // Between the number and the commit: where a plain serial column is overtaken.
        await sql`select pg_sleep(${Math.random() * 0.004})`.execute(trx)
        if (Math.random() < 0.2) throw new Error('given up')
        return false
      })
      if (await gaveUp.catch(() => true)) round -= 1
    }
  }
  let writing = true
  const written = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).finally(() => {
    writing = false
  })
  const seen: { seq: number; data: string }[] = []
  for (let last = false; ; last = !writing) {
    const events = await listEvents(db, { after: seen.at(-1)?.seq ?? 0, limit: 7 })
    seen.push(...events)
    if (events.length === 0 && last) break
    await sleep(1)
  }
  await written
  const all = await db.selectFrom('outbox').select(['seq', 'data']).orderBy('seq').execute()
  t.equal(all.length, 2 * writers * rounds)
  t.strictSame(dataOf(seen), dataOf(all))
  t.ok(seen.every(({ seq }, index) => index === 0 || seq > seen[index - 1]!.seq))
  const pairs = all.filter((_, index) => index % 2 === 0).map(({ data }, index) => [data, all[2 * index + 1]?.data])
  t.ok(
    pairs.every(([a, b]) => a?.replace('/a', '/b') === b),
    'events of one transaction stay together, in order',
  )
})

t.test('events are stored unchanged, and not stored after a rollback', async (t) => {
  const { db } = await createTestDatabase(t)
  const odd = JSON.stringify({ name: 'a "quoted" \\ name, {with} NULL', emoji: '🐈', line: 'one\ntwo' })
  await commit(db, event(odd, 'feed', 'token:0x01'), event('NULL'))
  const failed = db.transaction().execute(async (trx) => {
    await enqueueEvents(trx, [event('never')])
    throw new Error('given up')
  })
  await t.rejects(failed, { message: 'given up' })
  await commit(db)
  const events = await listEvents(db, { after: 0, limit: 10 })
  t.match(events, [{ type: 'told', rooms: ['feed', 'token:0x01'] }, { rooms: ['tokens'] }])
  t.strictSame(dataOf(events), [odd, 'NULL'])
  t.same(await replayChannel(db, { channel: 'token:0x01', since: 0, limit: 10 }), {
    events: [events[0]],
    complete: true,
  })
})

t.test('a replay returns the missed events of the channel, oldest first, up to its limit', async (t) => {
  const { db } = await createTestDatabase(t)
  for (let n = 1; n <= 6; n++) await commit(db, event(`${n}`, n % 2 ? 'trades' : 'feed', 'a', 'b', `token:${n}`))
  const seqs = (await listEvents(db, { after: 0, limit: 10 })).map(({ seq }) => seq)
  const replay = async (channel: string, since: number, limit = 10) => {
    const { events, complete } = await replayChannel(db, { channel, since, limit })
    return [dataOf(events), complete]
  }
  t.strictSame(await replay('trades', 0), [['1', '3', '5'], true])
  t.strictSame(await replay('trades', seqs[0]!), [['3', '5'], true])
  t.strictSame(await replay('b', seqs[1]!, 2), [['3', '4'], true])
  t.strictSame(await replay('token:4', 0), [['4'], true])
  t.strictSame(await replay('token:4', seqs[3]!), [[], true])
  t.strictSame(await replay('nowhere', 0), [[], true])
  t.strictSame(await replay('trades', seqs[5]! + 1), [[], false], 'a seq that has never been')
})

t.test('a replay from before the oldest event is incomplete', async (t) => {
  const { db } = await createTestDatabase(t)
  t.same(await replayChannel(db, { channel: 'tokens', since: 0, limit: 9 }), { events: [], complete: true })
  await commit(db, event('old'), event('older'))
  await commit(db, event('new'))
  const [old, older, recent] = (await listEvents(db, { after: 0, limit: 9 })).map(({ seq }) => seq) as [
    number,
    number,
    number,
  ]
  await sql`update outbox set created_at = created_at - interval '1 hour' where seq <= ${older}`.execute(db)
  t.equal(await trimOutbox(db, 3_000), 2)
  t.equal(await trimOutbox(db, 3_000), 0)
  const replay = async (since: number) => {
    const { events, complete } = await replayChannel(db, { channel: 'tokens', since, limit: 9 })
    return [dataOf(events), complete]
  }
  t.strictSame(await replay(0), [['new'], false])
  t.strictSame(await replay(old), [['new'], false])
  t.strictSame(await replay(older), [['new'], true])
  await sql`update outbox set created_at = created_at - interval '1 hour'`.execute(db)
  t.equal(await trimOutbox(db, 3_000), 1)
  t.strictSame(await replay(older), [[], false])
  t.strictSame(await replay(recent), [[], true], 'an empty table still knows where it was')
})

t.test('more events than one statement deletes are trimmed all the same', async (t) => {
  const { db } = await createTestDatabase(t)
  await sql`insert into outbox (rooms, type, data, created_at)
    select array['trades'], 'trade', '{}', now() - interval '2 hours' from generate_series(1, 5001)`.execute(db)
  t.equal(await trimOutbox(db, 3_600), 5_001)
})

t.test(
  'a replay is read from an index, however many events there are',
  { skip: serverUrl === null && 'plans are those of PostgreSQL' },
  async (t) => {
    const { db } = await createTestDatabase(t)
    await sql`insert into outbox (rooms, type, data)
    select array['trades', 'feed', 'token:' || n % 500], 'trade', repeat('x', 200) from generate_series(1, 20000) n`.execute(
      db,
    )
    await sql`analyze outbox`.execute(db)
    for (const channel of ['trades', 'feed', 'token:7']) {
      const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain ${buildReplay({ channel, since: 10_000, limit: 100 })}`.execute(db)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      t.match(plan, /outbox_room_1[\s\S]*outbox_room_2[\s\S]*outbox_room_3[\s\S]*outbox_room_4/, channel)
      t.notMatch(plan, /Seq Scan/, channel)
    }
  },
)
