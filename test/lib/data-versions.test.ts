import t from 'tap'
import { cacheTagOf, DataVersions } from '../../lib/cache/data-versions.ts'

t.test('data is the same until a change of one of its cache tags', async (t) => {
  const versions = new DataVersions(7, () => 0)
  versions.confirm(0)
  const at = versions.head
  t.ok(versions.isCurrent(['market', 'chain'], at))
  versions.advance({ seq: 8, cacheTags: ['social', cacheTagOf('0xa')] })
  t.equal(versions.head, 8)
  t.ok(versions.isCurrent(['market', 'chain'], at))
  t.notOk(versions.isCurrent(['market', 'social'], at))
  t.notOk(versions.isCurrent(['token', cacheTagOf('0xa')], at))
  t.ok(versions.isCurrent(['token', cacheTagOf('0xb')], at))
  versions.advance({ seq: 9, cacheTags: ['token'] })
  t.notOk(versions.isCurrent(['token', cacheTagOf('0xb')], 8))
  t.ok(versions.isCurrent(['token', cacheTagOf('0xa'), 'social'], 9))
})

t.test('repeated and unordered changes keep the latest version', async (t) => {
  const versions = new DataVersions(0, () => 0)
  versions.confirm(0)
  versions.advance({ seq: 5, cacheTags: ['market'] })
  versions.advance({ seq: 3, cacheTags: ['market'] })
  versions.advance({ seq: 5, cacheTags: ['market'] })
  t.equal(versions.head, 5)
  t.notOk(versions.isCurrent(['market'], 4))
  t.ok(versions.isCurrent(['market'], 5))
})

t.test('no version is current once changes may have been missed for a second', async (t) => {
  let now = 0
  const versions = new DataVersions(1, () => now)
  t.notOk(versions.isCurrent(['market'], 1), 'before the first complete read')
  versions.confirm(100)
  now = 1_099
  t.ok(versions.isCurrent(['market'], 1))
  now = 1_100
  t.notOk(versions.isCurrent(['market'], 1))
  versions.confirm(600)
  t.ok(versions.isCurrent(['market'], 1))
  versions.confirm(50)
  t.ok(versions.isCurrent(['market'], 1), 'an older confirmation takes nothing back')
})

t.test('a cache tag that is no longer tracked counts as changed at the last tag dropped', async (t) => {
  const versions = new DataVersions(0, () => 0)
  versions.confirm(0)
  const cacheTags = Array.from({ length: 150_000 }, (_, index) => cacheTagOf(String(index)))
  for (const [index, cacheTag] of cacheTags.entries()) versions.advance({ seq: index + 1, cacheTags: [cacheTag] })
  t.notOk(versions.isCurrent([cacheTagOf('0')], 0), 'its change is still known')
  t.notOk(versions.isCurrent([cacheTagOf('other')], 49_999), 'an untracked one may have changed')
  t.ok(versions.isCurrent([cacheTagOf('other')], 150_000))
})

t.test('a cache tag dropped later with an older change does not hide a newer change', async (t) => {
  const versions = new DataVersions(0, () => 0)
  versions.confirm(0)
  // Dropped in this order, by the many that follow.
  versions.advance({ seq: 10, cacheTags: [cacheTagOf('newer')] })
  versions.advance({ seq: 5, cacheTags: [cacheTagOf('older')] })
  for (let index = 0; index < 100_000; index++) versions.advance({ seq: 1, cacheTags: [cacheTagOf(String(index))] })
  t.notOk(versions.isCurrent([cacheTagOf('newer')], 9))
  t.ok(versions.isCurrent([cacheTagOf('newer')], 10))
})
