import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { createTestApp, testConfig } from '../support/app.ts'
import { createTestEvents } from '../support/live-events.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

t.test('heavy reads take a third of the connections, and their queue is bounded', async (t) => {
  const live = createTestEvents(10)
  live.versions.confirm(Number.POSITIVE_INFINITY)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const running = { heavy: 0, light: 0, replay: 0 }
  const { app } = await createTestApp({
    config: testConfig({ DATABASE_READ_CONNECTIONS: '6', DATABASE_LOCK_TIMEOUT_MS: '60000' }),
    cacheResponses: true,
    services: { live },
    extend: (app) => {
      const handle = (kind: keyof typeof running) => async () => {
        running[kind]++
        await released
        return { kind }
      }
      app.get('/heavy', { config: { heavyRead: 'aggregate' } }, handle('heavy'))
      app.get('/kept', { config: { heavyRead: 'aggregate', cache: ['market'] } }, handle('heavy'))
      app.get('/replay', { config: { heavyRead: 'replay' } }, handle('replay'))
      const heavyRead = ({ url }: { url: string }) => (url.endsWith('?all') ? ('aggregate' as const) : undefined)
      app.get('/sometimes', { config: { heavyRead } }, handle('light'))
    },
  })
  t.teardown(() => app.close())
  const signedIn = { authorization: `Bearer ${app.issueToken(`0x${'a1'.repeat(20)}`)}` }
  const refused: LightMyRequestResponse[] = []
  const ask = async (url: string, headers = {}): Promise<number> => {
    const response = await app.inject({ url, headers })
    if (response.statusCode !== 200) refused.push(response)
    return response.statusCode
  }
  const asked = [ask('/heavy'), ask('/kept?of=0')]
  await waitUntil('two run', () => running.heavy === 2)
  // One more than may wait: of different URLs, with and without a token, and with a query that makes the read heavy.
  asked.push(ask('/sometimes?all'), ask('/kept', signedIn))
  asked.push(...Array.from({ length: 99 }, (_, at) => ask(`/kept?of=${at + 1}`)))
  await waitUntil('one is refused', () => refused.length === 1)
  t.same(running, { heavy: 2, light: 0, replay: 0 })
  const [{ statusCode, headers }] = refused as [LightMyRequestResponse]
  t.match({ statusCode, headers }, { statusCode: 503, headers: { 'retry-after': '1', 'x-error-reason': 'OVERLOADED' } })
  asked.push(ask('/sometimes'), ask('/replay'), ask('/replay'), ask('/kept?of=0'))
  await waitUntil('other reads run', () => running.light === 1 && running.replay === 2)
  release()
  const codes = await Promise.all(asked)
  t.equal(codes.filter((code) => code === 200).length, codes.length - 1)
  t.equal(running.heavy + running.light, 103, 'equal requests are one read')
})
