import { createServer } from 'node:net'
import t from 'tap'
import { createHttpClient, HttpClientError } from '../../lib/http/http-client.ts'
import { answer, breakOff, flood, hangUp, stall, startThirdParty, stayMute } from '../support/third-party.ts'

const client = createHttpClient({ maxSockets: 4 })
t.teardown(() => client.close())
const limits = { timeoutMs: 5_000, maxBytes: 1_000 }

t.test('resolves to the response, with any status', async (t) => {
  const server = await startThirdParty(t, answer('{"a":"é"}', 503, { 'x-some': 'thing' }))
  const url = new URL(`${server.url}/path?a=1`)
  const got = await client.request({ url, method: 'POST', body: '"é"', headers: { 'x-key': 'k' }, ...limits })
  t.match(got, { status: 503, body: '{"a":"é"}', headers: { 'x-some': 'thing' }, retried: false })
  t.match(server.received, [
    { method: 'POST', path: '/path', query: { a: '1' }, body: '"é"', headers: { 'x-key': 'k', 'content-length': '4' } },
  ])
})

t.test('does not follow a redirect', async (t) => {
  const server = await startThirdParty(t, answer('', 302, { location: 'http://169.254.169.254/' }))
  t.match(await client.request({ url: new URL(server.url), method: 'GET', ...limits }), { status: 302 })
})

t.test('reports the kind of failure', async (t) => {
  const server = await startThirdParty(t, hangUp)
  const url = new URL(server.url)
  const failureOf = async (given: Partial<Parameters<typeof client.request>[0]> = {}) => {
    const error = await client.request({ url, method: 'GET', ...limits, ...given }).catch((thrown: unknown) => thrown)
    t.ok(error instanceof HttpClientError)
    const { kind, delivered } = error as HttpClientError
    return { kind, delivered }
  }
  t.same(await failureOf(), { kind: 'unreachable', delivered: true }, 'hung up')
  server.act(breakOff)
  t.same(await failureOf(), { kind: 'unreachable', delivered: true }, 'broken off')
  server.act(stayMute)
  t.same(await failureOf({ timeoutMs: 400 }), { kind: 'timeout', delivered: true }, 'mute')
  server.act(stall)
  t.same(await failureOf({ timeoutMs: 400 }), { kind: 'timeout', delivered: true }, 'stalled')
  server.act(flood)
  t.same(await failureOf(), { kind: 'too-large', delivered: true }, 'without end')
  server.act(answer('x'.repeat(1_001)))
  t.same(await failureOf(), { kind: 'too-large', delivered: true }, 'declared too large')
  t.same(
    await failureOf({ url: new URL('http://127.0.0.1:1') }),
    { kind: 'unreachable', delivered: false },
    'nobody there',
  )
  server.act(answer('x'.repeat(1_000)))
  t.match(await client.request({ url, method: 'GET', ...limits }), { status: 200 }, 'as large as allowed')
})

t.test('a request that takes too long ends its connection', async (t) => {
  const closed = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('close', () => closed.resolve())
    socket.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const asked = client.request({ url: new URL(`http://127.0.0.1:${port}`), method: 'GET', ...limits, timeoutMs: 100 })
  t.match(await asked.catch((error: unknown) => error), { kind: 'timeout' })
  await closed.promise
})

t.test('an idle connection closed by the server causes no failure', async (t) => {
  // Answers one request a connection, leaves it open, and hangs up on a second one.
  let connections = 0
  const server = createServer((socket) => {
    connections++
    let requests = 0
    socket.on('error', () => {})
    socket.on('data', () => {
      if (++requests > 1) socket.destroy()
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const own = createHttpClient({ maxSockets: 1 })
  t.teardown(() => own.close())
  const ask = () => own.request({ url: new URL(`http://127.0.0.1:${port}`), method: 'GET', ...limits })
  t.match(await ask(), { body: '{}', retried: false })
  t.match(await ask(), { body: '{}', retried: true })
  t.equal(connections, 2)
})

t.test('closing aborts pending requests', async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  const server = await startThirdParty(t, () => resolve())
  const own = createHttpClient({ maxSockets: 1 })
  const asked = own.request({ url: new URL(server.url), method: 'GET', ...limits })
  await arrived
  own.close()
  await t.rejects(asked, { name: 'HttpClientError', message: 'unreachable' })
})
