import t from 'tap'
import { createCircuitBreaker } from '../../lib/concurrency/circuit-breaker.ts'

function setUp() {
  const clock = { now: 1_000_000 }
  const opened: number[] = []
  const onOpen = () => void opened.push(clock.now)
  const breaker = createCircuitBreaker({ failureThreshold: 3, cooldownMs: 30_000, now: () => clock.now, onOpen })
  const failTimes = (times: number) => {
    for (let i = 0; i < times; i++) {
      breaker.acquire()
      breaker.recordFailure()
    }
  }
  return { breaker, clock, opened, failTimes }
}

t.test('lets calls pass until so many in a row have failed', async (t) => {
  const { breaker, failTimes, opened } = setUp()
  failTimes(2)
  t.equal(breaker.acquire(), 0)
  breaker.recordSuccess()
  failTimes(2)
  t.equal(breaker.acquire(), 0, 'a success forgets the failures before it')
  breaker.recordFailure()
  t.equal(breaker.acquire(), 30_000)
  t.same(opened, [1_000_000])
})

t.test('tells how long to wait, then lets one call through to probe', async (t) => {
  const { breaker, clock, failTimes } = setUp()
  failTimes(3)
  clock.now += 12_000
  t.equal(breaker.acquire(), 18_000)
  clock.now += 18_000
  t.equal(breaker.acquire(), 0, 'the probe')
  t.ok(breaker.acquire() > 0, 'nobody beside it')
  breaker.recordSuccess()
  t.same([breaker.acquire(), breaker.acquire()], [0, 0], 'closed again')
})

t.test('a probe that fails opens it again, without telling of it twice', async (t) => {
  const { breaker, clock, failTimes, opened } = setUp()
  failTimes(3)
  clock.now += 30_000
  t.equal(breaker.acquire(), 0)
  breaker.recordFailure()
  t.equal(breaker.acquire(), 30_000)
  clock.now += 30_000
  t.equal(breaker.acquire(), 0)
  breaker.recordSuccess()
  failTimes(2)
  t.equal(breaker.acquire(), 0, 'the count of failures starts again')
  t.equal(opened.length, 1)
})

t.test('opens at once, and for so long, when the other side says how long to stay away', async (t) => {
  const { breaker, clock } = setUp()
  t.equal(breaker.acquire(), 0)
  breaker.recordFailure(90_000)
  clock.now += 60_000
  t.equal(breaker.acquire(), 30_000)
  breaker.recordFailure()
  t.equal(breaker.acquire(), 30_000, 'a call that was under way cannot shorten it')
})
