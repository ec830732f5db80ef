import t from 'tap'
import type { Cache } from '../../lib/cache/cache.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import { createCachedFlag } from '../../lib/cache/cached-flag.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

const KEY = 'wallet'

/** A flag whose database is read by hand, on a cache of its own or one that fails. */
function start(options: { survivesCache?: boolean; failing?: Partial<Cache> } = {}) {
  const cache = Object.assign(createMemoryCache(), options.failing)
  const loads: PromiseWithResolvers<boolean>[] = []
  const flag = createCachedFlag({
    cache,
    namespace: 'test',
    survivesCache: options.survivesCache ?? false,
    load: () => {
      const read = Promise.withResolvers<boolean>()
      loads.push(read)
      return read.promise
    },
  })
  return { flag, cache, loads }
}
const untilLoading = (loads: readonly unknown[]) =>
  waitUntil('the flag is being loaded', () => loads.length > 0, { pauseMs: 0 })

for (const value of [true, false]) {
  t.test(`${value} is loaded once, and then read from the cache`, async (t) => {
    const { flag, loads } = start()
    const first = flag.read(KEY)
    await untilLoading(loads)
    loads[0]?.resolve(value)
    t.equal(await first, value)
    t.equal(await flag.read(KEY), value)
    t.equal(loads.length, 1)
    await flag.set(KEY, !value)
    t.equal(await flag.read(KEY), !value, 'until it is set')
    t.equal(loads.length, 1)
  })

  t.test(`a load that ends after ${value} was set does not overwrite it`, async (t) => {
    const { flag, loads } = start()
    const late = flag.read(KEY)
    await untilLoading(loads)
    await flag.set(KEY, value)
    loads[0]?.resolve(!value)
    await late
    t.equal(await flag.read(KEY), value)
    t.equal(loads.length, 1)
  })
}

t.test('when the cache is down a flag is loaded if configured so, otherwise the read fails', async (t) => {
  const down = new Error('The cache is down')
  const get = () => Promise.reject(down)
  await t.rejects(start({ failing: { get } }).flag.read(KEY), down)
  const { flag, loads } = start({ survivesCache: true, failing: { get } })
  const read = flag.read(KEY)
  await untilLoading(loads)
  loads[0]?.resolve(true)
  t.equal(await read, true)
})

t.test('with a read-only cache a flag is loaded, and deleted when it changes', async (t) => {
  const full = new Error('The cache is full')
  const failing = { setKept: () => Promise.reject(full), setIfAbsent: () => Promise.reject(full) }
  const { flag, cache, loads } = start({ failing })
  const deleted: string[] = []
  Object.assign(cache, { delete: async (key: string) => void deleted.push(key) })
  const read = flag.read(KEY)
  await untilLoading(loads)
  loads[0]?.resolve(true)
  t.equal(await read, true)
  await flag.set(KEY, false)
  t.same(deleted, ['test:wallet'])
})
