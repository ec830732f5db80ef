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

t.test('allows calls until consecutive failures reach the threshold', async (t) => {
  const { breaker, failTimes, opened } = setUp()
  failTimes(2)
  t.equal(breaker.acquire(), 0)
  breaker.recordSuccess()
  failTimes(2)
  t.equal(breaker.acquire(), 0, 'a success resets the failures before it')
  breaker.recordFailure()
  t.equal(breaker.acquire(), 30_000)
  t.same(opened, [1_000_000])
})

t.test('returns the waiting time, then allows one probe', async (t) => {
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

t.test('a failed probe opens it again, without a second notification', async (t) => {
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

t.test('opens at once for the time of a Retry-After', async (t) => {
  const { breaker, clock } = setUp()
  t.equal(breaker.acquire(), 0)
  breaker.recordFailure(90_000)
  clock.now += 60_000
  t.equal(breaker.acquire(), 30_000)
  breaker.recordFailure()
  t.equal(breaker.acquire(), 30_000, 'a call that was under way cannot shorten it')
})
