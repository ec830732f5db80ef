import type { Static } from '@sinclair/typebox'
import t from 'tap'
import type { DayStatisticsList } from '../../../schemas/statistics/daily-statistics.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { HEAD, LAUNCHPAD, timeOf } from '../../support/market-simulation.ts'

const DAY = 86_400
const { db, read, tokens } = await createMarketApp(t)
const trades = tokens.flatMap((token) => token.trades)
const dayOf = (time: number) => time - (time % DAY)
const dateOf = (time: number) => new Date(time * 1_000).toISOString().slice(0, 10)
const first = Math.min(...trades.map(({ block }) => dayOf(timeOf(block))))
const today = dayOf(timeOf(HEAD))
type Days = Static<typeof DayStatisticsList>['items']
const list = async (query = '') => (await read<{ items: Days }>(`/stats/daily${query}`)).body.data.items

t.test('each day since the first trade has the sums of its trades', async (t) => {
  const items = await list()
  t.same(
    items.map(({ time }) => time),
    Array.from({ length: (today - first) / DAY + 1 }, (_, index) => first + index * DAY),
  )
  for (const { date, time, complete, ...sums } of items) {
    const own = trades.filter(({ block }) => dayOf(timeOf(block)) === time)
    const sumOf = (name: 'quoteAmount' | 'protocolFee' | 'creatorFee') =>
      own.reduce((all, trade) => all + trade[name], 0n)
    t.equal(date, dateOf(time))
    t.equal(complete, time < today)
    t.match(sums, {
      trades: own.length,
      volume: String(sumOf('quoteAmount')),
      protocolFees: String(sumOf('protocolFee')),
      creatorFees: String(sumOf('creatorFee')),
    })
    const inUsd = (amount: bigint) => (Number(amount) / 1e18) * 3_000
    for (const [usd, amount] of [
      [sums.volumeUsd, sumOf('quoteAmount')],
      [sums.protocolFeesUsd, sumOf('protocolFee')],
      [sums.creatorFeesUsd, sumOf('creatorFee')],
    ] as const)
      t.ok(Math.abs((usd ?? Number.NaN) - inUsd(amount)) < 1e-6 * inUsd(amount) + 1e-9)
  }
  t.same(await list('?launchpad=slipway'), items)
  t.same((await read<{ items: Days }>('/api/stats/daily')).body.data.items, items)
})

t.test('from and to are inclusive, and a day after the head is not returned', async (t) => {
  const all = await list()
  t.ok(all.length > 2)
  const yesterday = today - DAY
  t.same(await list(`?from=${dateOf(yesterday)}&to=${dateOf(yesterday)}`), [all.at(-2)])
  t.same(await list(`?from=${dateOf(yesterday)}`), all.slice(-2))
  t.same(await list(`?to=${dateOf(first)}`), all.slice(0, 1))
  t.same(await list('?from=1970-01-01&to=9999-12-31'), all)
  t.same(await list(`?from=${dateOf(today + DAY)}`), [])
  t.same(await list('?to=1999-12-31'), [])
})

t.test('a day without trades has sums of zero, and one with archived trades no fees', async (t) => {
  const day = today - DAY
  const stored = await db.selectFrom('launchpad_days').selectAll().where('day', '=', day).executeTakeFirstOrThrow()
  const date = `?from=${dateOf(day)}&to=${dateOf(day)}`
  await db
    .updateTable('launchpad_days')
    .set({ protocol_fees: null, creator_fees: null })
    .where('day', '=', day)
    .execute()
  const none = { protocolFees: null, protocolFeesUsd: null, creatorFees: null, creatorFeesUsd: null }
  t.match((await list(date))[0], { trades: stored.trades, volume: stored.volume, ...none })
  await db.deleteFrom('launchpad_days').where('day', '=', day).execute()
  t.same(await list(date), [
    {
      ...{ date: dateOf(day), time: day, complete: true, trades: 0, volume: '0', volumeUsd: 0 },
      ...{ protocolFees: '0', protocolFeesUsd: 0, creatorFees: '0', creatorFeesUsd: 0 },
    },
  ])
  await db.insertInto('launchpad_days').values(stored).execute()
})

t.test('days are those of one kind of launchpad, without removed launchpads', async (t) => {
  const other = `0x${'0f'.repeat(20)}`
  const sums = { trades: 5, volume: '700', volume_usd: '0', protocol_fees: '9', creator_fees: '0' }
  await db
    .insertInto('launchpad_days')
    .values({ day: today, launchpad: other, ...sums })
    .execute()
  const platform = await db.selectFrom('launchpad_figures').selectAll().executeTakeFirstOrThrow()
  await db
    .insertInto('launchpad_figures')
    .values({ ...platform, launchpad: other, kind: 'nad-fun' })
    .execute()
  const date = `?from=${dateOf(today)}`
  const [own] = await list(`${date}&launchpad=slipway`)
  t.match(await list(`${date}&launchpad=nad-fun`), [
    { trades: 5, volume: '700', volumeUsd: null, protocolFees: null, creatorFees: null },
  ])
  t.match(await list(date), [{ trades: own!.trades + 5, volume: String(BigInt(own!.volume) + 700n) }])
  t.same(await list(`${date}&launchpad=pump`), [])
  await db
    .insertInto('deployments')
    .values({ address: other, kind: 'nad-fun', start_block: 1, added_by: LAUNCHPAD, removed_at: new Date() })
    .execute()
  t.same(await list(date), [own])
})

t.test('a request without a range that can be read is 400, and names the field', async (t) => {
  for (const [query, error] of [
    ['?from=2026-02-30', 'query.from must be a valid date'],
    ['?to=1795910400', 'query.to must be a valid date'],
    ['?from=2026-02-02&to=2026-02-01', 'query.from must not be after query.to'],
    ['?launchpad=Pump!', 'query.launchpad must be a kind of launchpad'],
  ])
    t.match(await read(`/stats/daily${query}`), { status: 400, body: { error } })
})
