import { createHook } from 'node:async_hooks'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { createTestApp, testConfig } from '../support/app.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

/** Keeps the event loop late by so many milliseconds a turn. */
function keepBusy(milliseconds: number): () => void {
  let isBusy = true
  const turn = () => {
    const end = performance.now() + milliseconds
    while (performance.now() < end);
    if (isBusy) setTimeout(turn, 0)
  }
  turn()
  return () => {
    isBusy = false
  }
}

const until = (isTrue: () => Promise<boolean> | boolean, what: string) => waitUntil(what, isTrue, { pauseMs: 5 })

t.test('a delayed event loop rejects requests except health probes until it recovers', async (t) => {
  const { app } = await createTestApp({ config: testConfig({ MAX_LOOP_DELAY_MS: '100' }) })
  t.teardown(() => app.close())
  const isAnswered = async () => (await app.inject('/config')).statusCode === 200
  await until(isAnswered, 'the application is well')

  const stop = keepBusy(300)
  try {
    await until(async () => !(await isAnswered()), 'the delay is noticed')
    for (const url of ['/config', '/api/config', '/nowhere']) {
      const { statusCode, headers, body } = await app.inject(url)
      t.equal(statusCode, 503, url)
      t.equal(headers['retry-after'], '2')
      t.same(JSON.parse(body), { success: false, data: null, error: 'The service is overloaded; retry shortly' })
    }
    for (const url of ['/live', '/api/live', '/ready']) t.equal((await app.inject(url)).statusCode, 200, url)
    t.match((await app.inject('/health')).json().error, /^Failed checks: /, 'health tells of its checks')
  } finally {
    stop()
  }
  await until(isAnswered, 'it has caught up')
  t.pass()
})

t.test('a closed application leaves no timer', async (t) => {
  const timers = new Map<number, string>()
  const hook = createHook({
    init: (id, type) => {
      if (type === 'Timeout') timers.set(id, String(new Error('made here').stack))
    },
    destroy: (id) => void timers.delete(id),
  }).enable()
  t.teardown(() => hook.disable())
  const { app } = await createTestApp({ config: testConfig({ MAX_LOOP_DELAY_MS: '1000', RATE_LIMITS: 'on' }) })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  for (const path of ['/config', '/search?q=x', `/og/token/0x${'a'.repeat(40)}`]) {
    await new Promise((resolve, reject) => {
      get({ port, path, agent: false }, (response) => text(response).then(resolve, reject)).on('error', reject)
    })
  }
  t.ok(timers.size > 0, 'it had some')
  await app.close()
  for (const deadline = Date.now() + 20_000; timers.size > 0 && Date.now() < deadline; ) await new Promise(setImmediate)
  t.same([...timers.values()], [])
})
