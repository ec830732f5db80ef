import { mock } from 'node:test'
import t from 'tap'
import { waitFor, waitUntil } from '../support/waits/wait-until.ts'

const never = new Promise<never>(() => {})
const turn = () => new Promise(setImmediate)

t.test('a wait that never ends is reported after 30 seconds, and fails after 60', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const printed = t.capture(console, 'log')
  const lines = () => printed().map(({ args }) => String(args[0]))
  const waits: [name: string, wait: () => Promise<unknown>][] = [
    ['a promise', () => waitFor('the ship is there', never)],
    ['a condition that never holds', () => waitUntil('the ship is there', () => false)],
    ['a condition that hangs', () => waitUntil('the ship is there', () => never)],
  ]
  for (const [name, wait] of waits) {
    const outcome = wait().then(
      () => 'came',
      (error: Error) => error.message,
    )
    await turn()
    mock.timers.tick(29_999)
    await turn()
    t.same(lines(), [], name)
    mock.timers.tick(1)
    await turn()
    t.same(lines(), ['# Still waiting after 30 s: the ship is there'], name)
    mock.timers.tick(30_000)
    t.equal(await outcome, 'Waited in vain for 60000 ms: the ship is there', name)
  }
})

t.test('a wait that ends prints nothing, and stops polling', async (t) => {
  t.equal(await waitFor('a value', Promise.resolve(7)), 7)
  await t.rejects(waitFor('a failure', Promise.reject(new Error('sunk'))), { message: 'sunk' })
  let asked = 0
  await waitUntil('the third time', () => ++asked === 3, { pauseMs: 0 })
  t.equal(asked, 3)
  await t.rejects(
    waitUntil('what fails', () => {
      throw new Error('sunk')
    }),
    { message: 'sunk' },
  )
})
