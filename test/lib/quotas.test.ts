import fc from 'fast-check'
import { createClient } from 'redis'
import t from 'tap'
import type { QuotaUsage } from '../../lib/cache/cache.ts'
import { createQuotaMemory, SLOTS } from '../../lib/cache/quota-memory.ts'
import { consumeScript, refundScript } from '../../lib/cache/quota-redis.ts'

const redisUrl = process.env.TEST_REDIS_URL
/** Tests may share one Redis, so each run has its own keys. */
const run = `quota:{test-${process.pid}-${Date.now()}}`
const quota = (name: string, limit: number, windowMs = 12_000) => ({ key: `${run}:${name}`, limit, windowMs })

/** Pauses between one request and the next, in milliseconds: bursts, trickles, and pauses of about a window. */
const pauses = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.nat(900) },
    { weight: 1, arbitrary: fc.integer({ min: 10_500, max: 13_500 }) },
  ),
  { minLength: 1, maxLength: 120 },
)

t.test('no window of any start exceeds the limit', async (t) => {
  const limit = 7
  fc.assert(
    fc.property(pauses, (given) => {
      let at = 0
      const { consume } = createQuotaMemory({ now: () => at })
      const granted: number[] = []
      for (const pause of given) {
        at += pause
        if (consume([quota('a', limit)]).granted) granted.push(at)
      }
      for (const [first, start] of granted.entries()) {
        const within = granted.slice(first).filter((time) => time - start < 12_000)
        if (within.length > limit) return false
      }
      return true
    }),
  )
  t.pass()
})

t.test('a rejected request is granted after its Retry-After, not before', async (t) => {
  let at = 100
  const { consume } = createQuotaMemory({ now: () => at })
  for (let taken = 1; taken <= 3; taken++) {
    t.match(consume([quota('a', 3)]), { granted: true, usages: [{ used: taken }] })
  }
  const refused = consume([quota('a', 3)])
  const { resetMs } = refused.usages[0] as { resetMs: number }
  t.equal(refused.granted, false)
  t.ok(resetMs >= 12_000 - 100 && resetMs <= (12_000 * (SLOTS + 1)) / SLOTS, 'a window, and at most a slot more')
  at += resetMs - 1
  t.equal(consume([quota('a', 3)]).granted, false)
  at += 1
  t.equal(consume([quota('a', 3)]).granted, true)
})

t.test('several quotas are consumed together or not at all', async (t) => {
  const { consume } = createQuotaMemory({ now: () => 0 })
  const both = [quota('large', 10), quota('small', 1)]
  t.equal(consume(both).granted, true)
  t.match(consume(both), { granted: false, usages: [{ used: 1 }, { used: 1 }] })
  t.match(consume([quota('large', 10)]), { granted: true, usages: [{ used: 2 }] })
})

t.test('a cost above one is consumed completely or not at all', async (t) => {
  const { consume } = createQuotaMemory({ now: () => 0 })
  const take = (cost: number) => consume([{ ...quota('a', 10), cost }])
  t.match(take(7), { granted: true, usages: [{ used: 7 }] })
  t.match(take(4), { granted: false, usages: [{ used: 7 }] })
  t.match(take(3), { granted: true, usages: [{ used: 10 }] })
  t.match(take(1), { granted: false, usages: [{ used: 10 }] })
})

t.test('refunded units are available again and shorten the wait', async (t) => {
  let at = 0
  const { consume, refund } = createQuotaMemory({ now: () => at })
  const take = () => consume([quota('a', 2)])
  const [first] = take().usages as [QuotaUsage]
  at = 6_000
  take()
  t.equal(take().granted, false)
  refund({ key: quota('a', 2).key, slot: first.slot })
  const { granted, usages } = take()
  t.match({ granted, usages: usages }, { granted: true, usages: [{ used: 2, resetMs: 13_000 }] })
  for (let times = 0; times < 3; times++) refund({ key: quota('a', 2).key, slot: first.slot })
  t.equal(take().granted, false, 'and once only')
})

t.test('a refund of a slot without units changes nothing', async (t) => {
  const { consume, refund } = createQuotaMemory({ now: () => 0 })
  const { key } = quota('a', 2)
  consume([quota('a', 2)])
  for (const slot of [-1, 1, 99]) refund({ key, slot })
  t.match(consume([quota('a', 2)]), { granted: true, usages: [{ used: 2 }] })
  t.equal(consume([quota('a', 2)]).granted, false)
})

t.test('after a pause of any length, no earlier unit counts', async (t) => {
  for (const pause of [13_000, 14_000, 25_000, 26_000, 12_000_000]) {
    let at = 500
    const { consume } = createQuotaMemory({ now: () => at })
    const take = () => consume([quota('a', 9)]).usages[0]?.used
    take()
    at += 2_000
    t.equal(take(), 2)
    at += pause
    t.equal(take(), 1, `${pause} ms`)
  }
})

t.test('under a flood of clients the least recent counts are evicted, and memory is bounded', async (t) => {
  const { consume } = createQuotaMemory({ max: 100, now: () => 0 })
  consume([quota('first', 1)])
  for (let client = 0; client < 1_000; client++) consume([quota(`client-${client}`, 1)])
  t.equal(consume([quota('client-999', 1)]).granted, false)
  t.equal(consume([quota('first', 1)]).granted, true)
})

t.test(
  'memory and Redis agree to the last figure',
  { skip: redisUrl ? false : 'TEST_REDIS_URL is not set' },
  async (t) => {
    let at = 0
    const client = createClient({
      url: redisUrl as string,
      scripts: { consume: consumeScript(() => at), refund: refundScript() },
    })
    await client.connect()
    t.teardown(() => client.destroy())
    let round = 0
    await fc.assert(
      fc.asyncProperty(pauses, async (given) => {
        at = 1_700_000_000_000 + 777 * round++
        const { consume, refund } = createQuotaMemory({ now: () => at })
        const [a, b, odd] = [quota(`a${round}`, 9), quota(`b${round}`, 4), quota(`c${round}`, 5, 7_000)]
        for (const [index, pause] of given.entries()) {
          at += pause
          const costly = { ...odd, cost: 2 }
          const drawn = index % 3 === 0 ? [a] : index % 3 === 1 ? [a, b] : [{ ...a, cost: 3 }, costly]
          const [here, there] = [consume(drawn), await client.consume(drawn)]
          if (JSON.stringify(here) !== JSON.stringify(there)) {
            throw new Error(`${JSON.stringify(here)} in memory, ${JSON.stringify(there)} in Redis`)
          }
          const slot = here.usages[0]?.slot ?? 0
          // Also one that was given back before, and one that was never taken.
          if (index % 5 === 0) {
            refund({ key: a.key, slot: slot - (index % 2) })
            await client.refund({ key: a.key, slot: slot - (index % 2) })
          }
        }
      }),
      { numRuns: 30 },
    )
    t.pass()
  },
)
