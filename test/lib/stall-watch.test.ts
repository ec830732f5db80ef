import t from 'tap'
import { type Stall, StallWatch } from '../../lib/concurrency/stall-watch.ts'

/** A watch with a limit of ten seconds, by a clock in seconds. */
function watch() {
  const clock = { now: 0 }
  const reports: (Stall | null)[] = []
  const report = (stall: Stall | null) => void reports.push(stall)
  const explain = () => 'it hangs'
  const options = { limitMs: 10, checkMs: 1, explain, report, now: () => clock.now }
  const watched = new StallWatch(options)
  const at = (now: number) => {
    clock.now = now
    return watched
  }
  return { at, reports, last: () => reports.at(-1) }
}

t.test('work that hangs is reported while it is expected to make progress', async (t) => {
  const { at, reports, last } = watch()
  at(5).check()
  at(50).begin()
  at(59).check()
  t.same(reports, [])
  at(60).check()
  t.same(last(), { since: 50, reason: 'it hangs' })
  at(61).progress()
  t.equal(last(), null)
  at(62).progress()
  t.equal(reports.length, 2, 'the end is reported once')
  at(63).pause()
  at(99).check()
  t.equal(reports.length, 2)
})

t.test('a failure is reported at once, and since the last progress', async (t) => {
  const { at, last } = watch()
  at(0).begin()
  at(7).progress()
  at(8).fail('no node')
  t.same(last(), { since: 7, reason: 'no node' })
  at(9).pause()
  at(10).begin()
  at(20).check()
  t.same(last(), { since: 7, reason: 'no node' })
  at(21).rest()
  at(90).check()
  t.same(last(), { since: 7, reason: 'no node' }, 'nothing is expected of work that rests')
  at(21).rest()
  at(30).begin()
  at(39).fail('no node')
  t.same(last(), { since: 30, reason: 'no node' }, 'an earlier failure is over')
})

t.test('work that ends without a result is reported with its reason', async (t) => {
  const { at, last } = watch()
  at(0).begin()
  at(5).note('nothing is certain')
  at(10).check()
  t.same(last(), { since: 0, reason: 'nothing is certain' })
})

t.test('the duration of excluded work does not count as a stall', async (t) => {
  const { at, reports, last } = watch()
  at(0).begin()
  const { promise, resolve } = Promise.withResolvers<void>()
  const [first, second] = [at(4).exclude(() => promise), at(5).exclude(() => promise)]
  at(99).check()
  resolve()
  await Promise.all([first, second])
  at(104).check()
  t.same(reports, [])
  at(105).check()
  t.same(last(), { since: 95, reason: 'it hangs' })
})
