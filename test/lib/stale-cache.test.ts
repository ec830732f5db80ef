import t from 'tap'
import { AppError } from '../../errors.ts'
import type { Cache } from '../../lib/cache/cache.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import { createStaleCache } from '../../lib/cache/stale-cache.ts'

function setUp(cache: Cache = createMemoryCache()) {
  const clock = { now: 1_000_000_000 }
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const kept = createStaleCache({ cache, freshSeconds: 30, staleSeconds: 600, onError, now: () => clock.now })
  let fetched = 0
  const fetchNext = async () => ++fetched
  return { cache, clock, errors, kept, fetchNext, timesFetched: () => fetched }
}

t.test('a value is fetched once and returned while fresh', async (t) => {
  const { kept, clock, fetchNext } = setUp()
  t.same(await kept.read('x:a', fetchNext), { value: 1, fetchedAt: 1_000_000_000, stale: false })
  clock.now += 29_999
  t.same(await kept.read('x:a', fetchNext), { value: 1, fetchedAt: 1_000_000_000, stale: false })
  t.same(await kept.read('x:b', fetchNext), { value: 2, fetchedAt: 1_000_029_999, stale: false }, 'each key its own')
})

t.test('a stale value is returned at once and refreshed in the background', async (t) => {
  const { kept, clock } = setUp()
  await kept.read('x:a', async () => 'old')
  clock.now += 30_000
  const { promise, resolve } = Promise.withResolvers<string>()
  const reads = await Promise.all([kept.read('x:a', () => promise), kept.read('x:a', () => promise)])
  for (const held of reads) t.same(held, { value: 'old', fetchedAt: 1_000_000_000, stale: true })
  resolve('new')
  await new Promise(setImmediate)
  t.same(await kept.read('x:a', () => promise), { value: 'new', fetchedAt: 1_000_030_000, stale: false })
})

t.test('a value that is too old is not returned, even if cached', async (t) => {
  const { kept, clock, fetchNext } = setUp()
  await kept.read('x:a', fetchNext)
  clock.now += 600_000
  t.same(await kept.read('x:a', fetchNext), { value: 2, fetchedAt: 1_000_600_000, stale: false })
})

t.test('concurrent reads share one fetch and its failure', async (t) => {
  const { kept, fetchNext, timesFetched } = setUp()
  const held = await Promise.all(Array.from({ length: 50 }, () => kept.read('x:a', fetchNext)))
  t.equal(timesFetched(), 1)
  t.ok(held.every(({ value }) => value === 1))
  let asked = 0
  const fail = async () => {
    asked++
    throw new Error('down')
  }
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => kept.read('x:b', fail)))
  t.ok(outcomes.every(({ status }) => status === 'rejected'))
  t.equal(asked, 1)
  await t.rejects(kept.read('x:b', fail), { message: 'down' }, 'a failure is not kept')
  t.equal(asked, 2)
})

t.test('while fetching fails the stale value is returned', async (t) => {
  const { kept, clock, fetchNext, errors } = setUp()
  await kept.read('x:a', fetchNext)
  clock.now += 599_999
  const down = () => Promise.reject(new Error('down'))
  t.match(await kept.read('x:a', down), { value: 1, stale: true })
  t.match(await kept.read('x:a', down), { value: 1, stale: true })
  await new Promise(setImmediate)
  t.same(
    errors.map((error) => (error as Error).message),
    ['down', 'down'],
  )
})

t.test('null is cached like any value', async (t) => {
  const { kept } = setUp()
  let asked = 0
  const fetchNothing = async () => {
    asked++
    return null
  }
  t.match(await kept.read('x:a', fetchNothing), { value: null })
  t.match(await kept.read('x:a', fetchNothing), { value: null })
  t.equal(asked, 1)
})

t.test('a failing cache or invalid cached content only causes more fetches', async (t) => {
  const down = () => Promise.reject(new AppError('CACHE_UNAVAILABLE'))
  const broken = setUp({ ...createMemoryCache(), get: down, set: down })
  t.match(await broken.kept.read('x:a', broken.fetchNext), { value: 1, stale: false })
  t.match(await broken.kept.read('x:a', broken.fetchNext), { value: 2, stale: false })
  t.equal(broken.errors.length, 4)
  const { cache, kept, fetchNext } = setUp()
  await cache.set('x:a', 'not JSON', 60)
  t.match(await kept.read('x:a', fetchNext), { value: 1, stale: false })
})
