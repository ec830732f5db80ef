import t from 'tap'
import { keepResult } from '../../lib/concurrency/keep-result.ts'

/** Work that ends when the test says so. */
function setUp() {
  const runs: PromiseWithResolvers<number>[] = []
  const clock = { now: 0 }
  /** What each run was given. */
  const previous: (number | undefined)[] = []
  const read = keepResult(
    (last?: number) => {
      previous.push(last)
      const run = Promise.withResolvers<number>()
      runs.push(run)
      return run.promise
    },
    1_000,
    () => clock.now,
  )
  return { read, runs, clock, previous }
}

t.test('the first calls wait for one run', async (t) => {
  const { read, runs } = setUp()
  const calls = [read(), read()]
  t.equal(runs.length, 1)
  runs[0]?.resolve(1)
  t.same(await Promise.all(calls), [1, 1])
  t.equal(await read(), 1)
  t.equal(runs.length, 1)
})

t.test('an old result is returned at once, and renewed by one run that receives it', async (t) => {
  const { read, runs, clock, previous } = setUp()
  const first = read()
  runs[0]?.resolve(1)
  await first
  clock.now = 1_000
  t.same(await Promise.all([read(), read()]), [1, 1])
  t.equal(runs.length, 2)
  t.same(previous, [undefined, 1])
  runs[1]?.resolve(2)
  await new Promise(setImmediate)
  t.equal(await read(), 2)
  t.equal(runs.length, 2)
})

t.test('a failed renewal keeps the result, a failed first run does not', async (t) => {
  const { read, runs, clock } = setUp()
  const first = read()
  runs[0]?.reject(new Error('down'))
  await t.rejects(first, { message: 'down' })
  const second = read()
  runs[1]?.resolve(1)
  t.equal(await second, 1)
  clock.now = 1_000
  t.equal(await read(), 1)
  runs[2]?.reject(new Error('down'))
  await new Promise(setImmediate)
  t.equal(await read(), 1, 'kept')
  t.equal(runs.length, 4, 'and tried again')
})
