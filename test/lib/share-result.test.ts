import t from 'tap'
import { shareResult } from '../../lib/concurrency/share-result.ts'

t.test('calls during the work and for a while after share one result', async (t) => {
  let [time, runs] = [0, 0]
  const read = shareResult(
    async () => ++runs,
    1_000,
    () => time,
  )
  t.same(await Promise.all([read(), read(), read()]), [1, 1, 1])
  time = 999
  t.equal(await read(), 1)
  time = 1_000
  t.same(await Promise.all([read(), read()]), [2, 2])
})

t.test('failures are shared as long as results', async (t) => {
  let [time, runs] = [0, 0]
  const fail = shareResult(
    async () => Promise.reject(new Error(`failure ${++runs}`)),
    1_000,
    () => time,
  )
  const outcomes = await Promise.allSettled([fail(), fail()])
  t.match(outcomes, Array(2).fill({ status: 'rejected', reason: { message: 'failure 1' } }))
  time = 1_000
  await t.rejects(fail(), { message: 'failure 2' })
})

t.test('the lifetime starts at the end of the work, and hanging work is replaced', async (t) => {
  let [time, runs] = [0, 0]
  const started: (() => void)[] = []
  const read = shareResult(
    () => new Promise<number>((resolve) => started.push(() => resolve(++runs))),
    1_000,
    () => time,
  )
  const first = read()
  time = 20_000
  const same = read()
  t.equal(started.length, 1)
  started[0]?.()
  t.same(await Promise.all([first, same]), [1, 1])
  time = 20_999
  t.equal(await read(), 1)
  time = 21_000
  void read()
  time = 51_000
  void read()
  t.equal(started.length, 3)
})
