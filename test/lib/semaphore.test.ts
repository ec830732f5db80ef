import t from 'tap'
import { isAppError } from '../../errors.ts'
import { createSemaphore } from '../../lib/concurrency/semaphore.ts'

t.test('bounds running and queued tasks, and rejects others', async (t) => {
  const semaphore = createSemaphore({ concurrency: 2, queueSize: 3 })
  const { promise: open, resolve } = Promise.withResolvers<void>()
  const order: number[] = []
  let running = 0
  const work = (index: number) =>
    semaphore(async () => {
      running++
      t.ok(running <= 2)
      order.push(index)
      await open
      running--
      return index
    })
  const inside = [0, 1, 2, 3, 4].map(work)
  const error = await work(5).catch((thrown: unknown) => thrown)
  t.ok(isAppError(error, 'OVERLOADED'))
  t.same(order, [0, 1])
  resolve()
  t.same(await Promise.all(inside), [0, 1, 2, 3, 4])
  t.same(order, [0, 1, 2, 3, 4], 'in order of arrival')
})

t.test('a failed task frees its slot', async (t) => {
  const semaphore = createSemaphore({ concurrency: 1, queueSize: 1 })
  const failing = semaphore(() => Promise.reject(new Error('no')))
  const next = semaphore(async () => 'yes')
  await t.rejects(failing, { message: 'no' })
  t.equal(await next, 'yes')
  t.equal(await semaphore(async () => 'again'), 'again')
})

t.test('a task that waits too long is rejected and never runs', async (t) => {
  const semaphore = createSemaphore({ concurrency: 1, queueSize: 2, queueTimeoutMs: 20 })
  const { promise: open, resolve } = Promise.withResolvers<string>()
  const inside = semaphore(() => open)
  let started = 0
  const late = [1, 2].map(() => semaphore(async () => ++started))
  for (const error of await Promise.all(late.map((one) => one.catch((thrown: unknown) => thrown)))) {
    t.ok(isAppError(error, 'OVERLOADED'))
  }
  resolve('first')
  t.equal(await inside, 'first')
  t.equal(await semaphore(async () => 'next'), 'next')
  t.equal(started, 0, 'and is not taken afterwards')
})
