import t from 'tap'
import { AppError } from '../../errors.ts'
import { createTestApp } from '../support/app.ts'

/** An app whose /shared answers how often it was made, once it is let go; `failing` makes it fail instead. */
async function setUp() {
  const made: (() => void)[] = []
  const state = { failing: false }
  const { app } = await createTestApp({
    extend: (app) => {
      app.get('/shared', { config: { coalesce: true } }, async () => {
        const { promise, resolve } = Promise.withResolvers<void>()
        const number = made.push(resolve)
        await promise
        if (state.failing) throw new AppError('OVERLOADED', {}, { retryAfter: 1 })
        return { number }
      })
    },
  })
  const isMade = async (count: number) => {
    while (made.length < count) await new Promise(setImmediate)
  }
  return { app, made, state, isMade }
}

t.test('equal concurrent requests share a response, and requests during it share the next', async (t) => {
  const { app, made, isMade } = await setUp()
  t.teardown(() => app.close())
  const ask = async () => (await app.inject('/shared')).json().number
  const first = [ask(), ask(), ask()]
  await isMade(1)
  const second = [ask(), ask()]
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  t.equal(made.length, 1, 'one is made at a time')
  made[0]?.()
  t.same(await Promise.all(first), [1, 1, 1])
  await isMade(2)
  made[1]?.()
  t.same(await Promise.all(second), [2, 2], 'nobody is answered with what was read before they asked')
  const third = ask()
  await isMade(3)
  made[2]?.()
  t.equal(await third, 3, 'nothing is kept')
})

t.test('other URLs and requests with a token are not coalesced', async (t) => {
  const { app, made, isMade } = await setUp()
  t.teardown(() => app.close())
  const headers = { authorization: 'Bearer a.b.c' }
  const all = ['/shared', '/shared?a=1'].map((url) => app.inject(url))
  all.push(app.inject({ url: '/shared', headers }), app.inject({ url: '/shared', headers }))
  await isMade(4)
  for (const release of made) release()
  const numbers = (await Promise.all(all)).map((answer) => answer.json().number)
  t.equal(new Set(numbers).size, 4)
})

t.test('a shared response has all headers, and each request its own id', async (t) => {
  const { app, made, isMade } = await setUp()
  t.teardown(() => app.close())
  const both = [app.inject('/shared'), app.inject({ url: '/shared', headers: { 'x-request-id': 'mine' } })]
  await isMade(1)
  made[0]?.()
  const [one, other] = await Promise.all(both)
  t.equal(one?.headers['content-type'], 'application/json; charset=utf-8')
  t.equal(one?.headers['cache-control'], 'public, no-cache')
  t.match(one?.headers.etag, /^"[\w-]{27}"$/)
  t.equal(one?.headers.etag, other?.headers.etag)
  t.equal(other?.headers['x-request-id'], 'mine')
  t.not(one?.headers['x-request-id'], 'mine')
})

t.test('concurrent requests share a failure, and the next request computes again', async (t) => {
  const { app, made, state, isMade } = await setUp()
  t.teardown(() => app.close())
  state.failing = true
  const both = [app.inject('/shared'), app.inject('/shared')]
  await isMade(1)
  made[0]?.()
  for (const answer of await Promise.all(both)) t.equal(answer.statusCode, 503)
  state.failing = false
  const next = app.inject('/shared')
  await isMade(2)
  made[1]?.()
  t.equal((await next).statusCode, 200)
})
