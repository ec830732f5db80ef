import { sql } from 'kysely'
import t from 'tap'
import { createMetrics } from '../../lib/telemetry/create-metrics.ts'
import { watchClock } from '../../lib/telemetry/watch-clock.ts'
import { until } from '../acceptance/support/service.ts'
import { createTestDatabase } from '../support/database.ts'
import { parseScrape, readValue } from '../support/scrape.ts'

t.test('a clock that differs from that of the database is measured, and logged once', async (t) => {
  const { db } = await createTestDatabase(t)
  const readTime = async () => {
    const { rows } = await sql<{ time: number }>`select extract(epoch from clock_timestamp())::float8 as time`.execute(
      db,
    )
    return rows[0]!.time
  }
  const metrics = createMetrics()
  const lines: { level: string; fields: { skewSeconds?: number } }[] = []
  const log = {
    info: (fields: object) => void lines.push({ level: 'info', fields }),
    warn: (fields: object) => void lines.push({ level: 'warn', fields }),
  }
  let ahead = 0
  let isDown = false
  let reads = 0
  const read = async () => {
    reads++
    if (isDown) throw new Error('The database is down')
    return readTime()
  }
  t.teardown(watchClock(metrics, { readTime: read, log, now: () => Date.now() + ahead * 1000, checkMs: 20 }))
  const skew = async () => readValue(parseScrape(await metrics.scrape()), 'slipway_clock_skew_seconds')
  const becomes = (wanted: number, label: string) =>
    until(skew, (seconds) => seconds !== undefined && Math.abs(seconds - wanted) < 1, label)

  await becomes(0, 'the same clock')
  ahead = 90
  await becomes(90, 'this machine is ahead')
  ahead = -95
  await becomes(-95, 'this machine is late')
  ahead = 0
  await becomes(0, 'the same clock again')
  t.match(lines, [{ level: 'warn', fields: { skewSeconds: 90 } }, { level: 'info' }])
  t.equal(lines.length, 2, 'one line when it begins, and one when it ends')
  isDown = true
  await until(skew, (seconds) => seconds === undefined, 'unknown while the database is down')
  const before = reads
  await until(
    async () => reads,
    (count) => count > before,
    'it goes on',
  )
})

t.test('the duration of a measurement does not count as skew', async (t) => {
  const DURATION_MS = 200
  const busyUntil = (time: number) => {
    while (performance.now() < time);
  }
  for (const isReadLast of [false, true]) {
    const metrics = createMetrics()
    const readTime = async () => {
      const [first, end] = [Date.now(), performance.now() + DURATION_MS]
      busyUntil(end)
      return (isReadLast ? Date.now() : first) / 1_000
    }
    t.teardown(watchClock(metrics, { readTime, log: { info: () => {}, warn: () => {} } }))
    const skew = await until(
      async () => readValue(parseScrape(await metrics.scrape()), 'slipway_clock_skew_seconds'),
      (seconds) => seconds !== undefined,
      'it is measured',
    )
    t.ok(Math.abs(Number(skew)) < DURATION_MS / 4_000, `${skew} s`)
  }
})

t.test('a slow measurement does not overlap the next one', async (t) => {
  const answer = Promise.withResolvers<number>()
  let reads = 0
  const readTime = () => {
    reads++
    return answer.promise
  }
  const log = { info: () => {}, warn: () => {} }
  const ticks = Promise.withResolvers<void>()
  let ticked = 0
  const ticker = setInterval(() => ++ticked === 5 && ticks.resolve(), 5)
  t.teardown(() => clearInterval(ticker))
  t.teardown(watchClock(createMetrics(), { readTime, log, checkMs: 1 }))
  await ticks.promise
  t.equal(reads, 1, 'the next one waits')
  answer.resolve(Date.now() / 1000)
  await until(
    async () => reads,
    (count) => count > 1,
    'and begins after it',
  )
})
