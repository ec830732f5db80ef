import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import type { CommittedChange } from '../../features/live/live-event.ts'
import { Screener } from '../../features/screener/screener.ts'
import { DataVersions } from '../../lib/cache/data-versions.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { HIDDEN } from '../support/market-rows.ts'
import { TOKEN_COUNT } from '../support/market-simulation.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

/* How the figures in memory follow the changes that the bus delivers. */
const { db } = await createTestDatabase(t)
await fillMarket(db)
const log = { info: () => {}, warn: () => {} }
const order = { sort: 'mcap', direction: 'desc' } as const
const everything = { filter: { ranges: [] }, order, limit: 100, offset: 0, after: null } as const
const VISIBLE = TOKEN_COUNT - HIDDEN.length

/** A bus whose changes the test delivers. */
function createBus() {
  let [onChange, onLoss] = [(_change: CommittedChange) => {}, () => {}]
  const bus = {
    head: 0,
    versions: new DataVersions(0),
    subscribeToChanges: (change: typeof onChange, loss: typeof onLoss) => {
      onChange = change
      onLoss = loss
      return () => {}
    },
    deliver(change: Partial<CommittedChange>) {
      bus.head++
      bus.versions.advance({ seq: bus.head, cacheTags: [] })
      onChange({ seq: bus.head, cacheTags: [], tokens: [], ...change })
    },
    lose: () => onLoss(),
  }
  return bus
}

function open(t: Test, from: Db = db, waitMs = 60_000) {
  const bus = createBus()
  const screener = new Screener({ db: from, live: bus, log, waitMs, pauseMs: 5 })
  t.teardown(() => screener.close())
  const list = async () => {
    await screener.catchUp()
    return screener.list(everything)
  }
  return { bus, screener, list }
}

const failureOf = (screener: Screener) =>
  screener.catchUp().then(
    () => null,
    (error: unknown) => error,
  )

const setCap = (id: number, marketCap: string) =>
  db.updateTable('token_figures').set({ market_cap: marketCap }).where('token_id', '=', id).execute()

/** The database, of which the next transactions fail as often as `left` says. */
function createFailing() {
  const failures = { left: 0 }
  const from: Db = new Proxy(db, {
    get: (target, name) => {
      if (name === 'transaction' && failures.left-- > 0)
        return () => {
          throw new Error('The database is down')
        }
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { from, failures }
}

t.test(
  'a change that the bus has not delivered yet is waited for, and in the end refused with Retry-After',
  async (t) => {
    const { bus, screener } = open(t, db, 30)
    await waitUntil('all figures are read', async () => (await failureOf(screener)) === null)
    bus.versions.advance({ seq: 7, cacheTags: [] })
    t.match(await failureOf(screener), { reason: 'FILTERS_NOT_READY', status: 503, retryAfter: 2 })
    const waiting = open(t)
    await waiting.screener.catchUp()
    waiting.bus.versions.advance({ seq: 1, cacheTags: [] })
    const caughtUp = waiting.screener.catchUp()
    await setCap(1, '5')
    waiting.bus.deliver({ tokens: [1] })
    await caughtUp
    t.match(waiting.screener.list(everything).places.at(-1), { id: 1, key: 5 })
  },
)

t.test('changes while all figures are read are not lost', async (t) => {
  const { bus, screener, list } = open(t)
  screener.start()
  await setCap(2, '4')
  bus.deliver({ tokens: [2] })
  t.match((await list()).places.at(-1), { id: 2, key: 4 })
})

t.test('only the tokens that a change names are read again', async (t) => {
  const { bus, list } = open(t)
  await list()
  await setCap(3, '1')
  bus.deliver({ tokens: [4], cacheTags: ['chain', 'market', 'token'] })
  t.not((await list()).places.at(-1)?.id, 3)
  bus.deliver({ tokens: [3] })
  t.equal((await list()).places.at(-1)?.id, 3)
})

t.test('after a failed read the same changes are read again', async (t) => {
  const { from, failures } = createFailing()
  const { bus, list } = open(t, from)
  failures.left = 2
  t.equal((await list()).total, VISIBLE)
  await setCap(5, '0')
  failures.left = 3
  bus.deliver({ tokens: [5] })
  t.equal((await list()).places.at(-1)?.id, 5)
})

t.test('after a failover, and when a change names no tokens, all figures are read again', async (t) => {
  const { bus, screener, list } = open(t)
  await list()
  await setCap(6, '9'.repeat(50))
  bus.deliver({ tokens: 'all' })
  t.equal((await list()).places[0]?.id, 6)
  await setCap(9, '9'.repeat(60))
  bus.lose()
  bus.deliver({ cacheTags: ['chain'] })
  t.equal((await list()).places[0]?.id, 9)
  await db.deleteFrom('token_figures').where('token_id', '=', 9).execute()
  bus.deliver({ tokens: 'all' })
  t.equal((await list()).total, VISIBLE - 1)
  t.equal(screener.size, TOKEN_COUNT - 1)
})

t.test('a change of other data needs no read', async (t) => {
  const { bus, list } = open(t)
  await list()
  await setCap(10, '9'.repeat(70))
  bus.deliver({ cacheTags: ['social', 'raises'] })
  t.not((await list()).places[0]?.id, 10)
  bus.deliver({ cacheTags: ['social'], tokens: [10] })
  t.equal((await list()).places[0]?.id, 10)
})

t.test('a closed one answers 503 and does not wait', async (t) => {
  const { screener, bus } = open(t)
  await screener.catchUp()
  bus.versions.advance({ seq: 99, cacheTags: [] })
  const failure = failureOf(screener)
  await screener.close()
  t.match(await failure, { reason: 'FILTERS_NOT_READY' })
})
