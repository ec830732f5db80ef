import { mock } from 'node:test'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createBatchLoader } from '../../lib/concurrency/batch-loader.ts'

interface Load {
  keys: readonly number[]
  finish: (values: number[]) => void
  fail: (error: Error) => void
}

/** Reads numbers by themselves; each load waits until it is finished. */
function setUp() {
  const loads: Load[] = []
  const read = createBatchLoader(
    (keys: readonly number[]) => {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>()
      loads.push({ keys, finish: resolve, fail: reject })
      return promise
    },
    (value) => value,
  )
  const turn = () => new Promise(setImmediate)
  return { loads, read, turn }
}

t.test('concurrent keys are loaded together, each once', async (t) => {
  const { loads, read, turn } = setUp()
  const answers = [read(1), read(2), read(1), read(3)]
  await turn()
  t.same(
    loads.map(({ keys }) => keys),
    [[1, 2, 3]],
  )
  loads[0]?.finish([3, 1])
  t.same(await Promise.all(answers), [1, undefined, 1, 3], 'what is not found is undefined')
})

t.test('calls during a load share the next one, even for a key that is being loaded', async (t) => {
  const { loads, read, turn } = setUp()
  const first = read(1)
  await turn()
  const late = [read(1), read(3), read(4)]
  await turn()
  t.equal(loads.length, 1, 'one at a time')
  loads[0]?.finish([1])
  t.equal(await first, 1)
  await turn()
  t.same(loads[1]?.keys, [1, 3, 4])
  loads[1]?.finish([1, 3, 4])
  t.same(await Promise.all(late), [1, 3, 4])
})

t.test('the next load starts before the calls of the previous one resolve', async (t) => {
  const events: string[] = []
  const read = createBatchLoader(
    async (keys: readonly number[]) => {
      // As a pool that hands out a connection in a later tick.
      await new Promise<void>((resolve) => process.nextTick(resolve))
      events.push(`sent ${keys}`)
      await new Promise(setImmediate)
      return keys
    },
    (key) => key,
  )
  const ask = async (key: number) => {
    await read(key)
    events.push(`answered ${key}`)
  }
  const answers = [ask(1)]
  await new Promise(setImmediate)
  answers.push(ask(2))
  await Promise.all(answers)
  t.same(events, ['sent 1', 'sent 2', 'answered 1', 'answered 2'])
})

t.test('a call in the same tick as the rows of a load is part of the next load', async (t) => {
  const { loads, read, turn } = setUp()
  const first = read(1)
  await turn()
  const answers = [first, read(2)]
  loads[0]?.finish([1])
  // The promise jobs of this turn end before the next socket is read.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  answers.push(read(3))
  await first
  t.same(loads[1]?.keys, [2, 3])
  loads[1]?.finish([2, 3])
  t.same(await Promise.all(answers), [1, 2, 3])
})

t.test('a slow load delays the next load by at most half a second', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { loads, read, turn } = setUp()
  const slow = read(1)
  await turn()
  const second = read(2)
  await turn()
  mock.timers.tick(499)
  t.equal(loads.length, 1)
  mock.timers.tick(1)
  t.same(loads[1]?.keys, [2])
  const third = read(3)
  await turn()
  loads[0]?.finish([1])
  t.equal(await slow, 1)
  await turn()
  t.equal(loads.length, 2, 'its end starts none beside the second')
  loads[1]?.finish([2])
  t.equal(await second, 2)
  await turn()
  t.same(loads[2]?.keys, [3])
  loads[2]?.finish([3])
  t.equal(await third, 3)
})

t.test('a failed load fails its own calls only', async (t) => {
  const { loads, read, turn } = setUp()
  const lost = read(1)
  await turn()
  const next = read(1)
  await turn()
  loads[0]?.fail(new Error('gone'))
  await t.rejects(lost, /gone/)
  loads[1]?.finish([1])
  t.equal(await next, 1)
})

t.test('more keys than the batch size cause several loads', async (t) => {
  const { loads, read, turn } = setUp()
  const answers = Array.from({ length: 150 }, (_, key) => read(key))
  await turn()
  const sizes = () => loads.map(({ keys }) => keys.length)
  t.same(sizes(), [24])
  for (let at = 0; at < loads.length; at++) {
    const { keys, finish } = loads[at]!
    finish([...keys])
    await answers[keys[0]!]
  }
  t.same(sizes(), [24, 24, 24, 24, 24, 24, 6])
  t.same(
    await Promise.all(answers),
    answers.map((_, key) => key),
  )
})

t.test('values do not outlive their calls: few reach the old generation', async (t) => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: { type: 'major' | 'minor' }) => void
  const sizeOfOld = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space')!.space_used_size
  const read = createBatchLoader(
    async (keys: readonly number[]) => {
      await new Promise(setImmediate)
      return keys.map((key) => ({ key, data: Array.from({ length: 500 }, () => key / 3) }))
    },
    ({ key }) => key,
  )
  let key = 0
  const readFiveTimes = async () => {
    for (let time = 0; time < 5; time++) await read(key++)
  }
  const rounds = 20
  const callers = Array(64).fill(readFiveTimes) as (typeof readFiveTimes)[]
  const run = () => Promise.all(callers.map((readSome) => readSome()))
  for (let round = 0; round < 4; round++) await run()
  gc({ type: 'major' })
  const before = sizeOfOld()
  for (let round = 0; round < rounds; round++) {
    await run()
    gc({ type: 'minor' })
  }
  const bytes = (sizeOfOld() - before) / (rounds * callers.length * 5)
  t.ok(bytes < 1_500, `${Math.round(bytes)} bytes a call, of values of 4,000`)
})
