import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import type { Config } from '../../config/config.ts'
import { createMetrics } from '../../lib/telemetry/create-metrics.ts'
import { buildMetricsServer, buildProbes } from '../../probes.ts'
import type { Services } from '../../services.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { createTestEvents } from '../support/live-events.ts'
import { listenForSockets } from '../support/sockets.ts'
import { connectDeaf, converse } from '../support/unread.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

const MB = 2 ** 20
/** More than the kernel keeps for a peer that does not read. */
const LARGE = 16 * MB
const large = Buffer.alloc(LARGE, 'slipway ')
const [HERE, ELSEWHERE] = ['127.0.0.1', '127.0.0.2']

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`
const CLOSE = 'Connection: close\r\n'

/** The condition is its own name. */
const until = (holds: () => boolean) => waitUntil(String(holds), holds, { pauseMs: 10 })

interface Opened {
  app: FastifyInstance
  port: number
  counts: () => ReturnType<FastifyInstance['connections']['counts']>
  /** Requests to /never that have arrived. */
  waiting: () => number
}

async function open(
  t: Test,
  connections: Partial<Config['connections']>,
  env: Record<string, string> = {},
  extend: (app: FastifyInstance) => void = () => {},
): Promise<Opened> {
  const config = testConfig({ RATE_LIMITS: 'off', ...env })
  let waiting = 0
  const { app } = await createTestApp({
    // A stall limit that no test reaches by being slow.
    config: { ...config, connections: { ...config.connections, stallMs: 600_000, ...connections } },
    extend: (app) => {
      app.get('/large', (_request, reply) => void reply.header('etag', '"large"').send(large))
      app.get('/larger', (_request, reply) => void reply.header('etag', '"larger"').send(Buffer.alloc(3 * LARGE)))
      app.get('/text', (_request, reply) => void reply.type('text/plain').send('slipway '.repeat(LARGE / 8)))
      app.get('/never', () => {
        waiting++
        return new Promise(() => {})
      })
      app.post('/body', async () => ({}))
      extend(app)
    },
  })
  t.teardown(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return { app, port, counts: () => app.connections.counts(), waiting: () => waiting }
}

const OVERLOADED = '{"success":false,"data":null,"error":"The service is overloaded; retry shortly"}'

t.test('an unread response is closed after a while; a slowly read one is not', async (t) => {
  const { port, counts } = await open(t, { stallMs: 2_500 })
  const deaf = await connectDeaf(t, port, get('/large'))
  const failures: (string | undefined)[] = []
  deaf.socket.on('error', ({ code }: NodeJS.ErrnoException) => failures.push(code))
  const slow = await connectDeaf(t, port, get('/large'))
  let read = 0
  slow.socket.on('data', async (chunk) => {
    read += chunk.length
    // Some of it, and a pause, and so on: longer than the stall limit in all.
    slow.socket.pause()
    await pause(read < LARGE / 2 ? 15 : 0)
    slow.socket.resume()
  })
  slow.socket.resume()
  await until(() => deaf.closed || counts().cut.stalled > 0)
  await until(() => read > LARGE)
  t.match(counts(), { unreadBytes: Number, cut: { stalled: 1, unread_total: 0, unread_address: 0 } })
  t.notOk(slow.closed)
  await until(() => counts().unreadBytes === 0)
  deaf.socket.resume()
  await until(() => deaf.closed)
  t.same(failures, ['ECONNRESET'], 'the kernel of the server keeps no unread bytes')
})

t.test('unread bytes of an address are bounded: more are rejected, then the worst connection is closed', async (t) => {
  const { port, counts } = await open(t, { unreadBytesPerAddress: 2.5 * LARGE, unreadBytes: 10 * LARGE })
  const others = await Promise.all([1, 2].map(() => connectDeaf(t, port, get('/large'), '127.0.0.3')))
  const deaf = [await connectDeaf(t, port, get('/large')), await connectDeaf(t, port, get('/large'))]
  await until(() => counts().unreadBytes >= 4 * LARGE)
  const refused = await converse(t, port, get('/larger', CLOSE))
  t.match(refused, /^HTTP\/1\.1 503 /, 'what does not fit at all')
  t.match(refused, /\r\nretry-after: 5\r\n/i)
  t.notMatch(refused, /\r\netag:/i, 'nothing of what was to be sent')
  t.ok(refused.endsWith(OVERLOADED))
  t.match(counts(), {
    cut: { unread_address: 0 },
    refused: { connection_address: 0, connection_total: 0, response: 1 },
  })
  t.match(await converse(t, port, get('/live', CLOSE)), /^HTTP\/1\.1 200 /, 'a small answer is given')
  t.ok((await converse(t, port, get('/large', CLOSE), ELSEWHERE)).length > LARGE, 'another address has its own share')
  // Once they have left it unread for long enough, one of them gives way, and none of another address.
  let answer = ''
  while (answer.length < LARGE) answer = await converse(t, port, get('/large', CLOSE))
  t.equal(counts().cut.unread_address, 1)
  t.notOk(others.some(({ closed }) => closed))
  await until(() => deaf.filter(({ socket }) => socket.resume().destroyed).length > 0)
})

t.test('unread bytes of all connections are bounded; the worst connection is closed first', async (t) => {
  const { port, counts } = await open(t, { unreadBytes: 3.5 * LARGE })
  const worst = await connectDeaf(t, port, get('/large').repeat(2))
  await until(() => counts().unreadBytes >= 2 * LARGE)
  const other = await connectDeaf(t, port, get('/large'), ELSEWHERE)
  let answer = ''
  while (answer.length < LARGE) answer = await converse(t, port, get('/large', CLOSE), '127.0.0.3')
  t.match(counts().cut, { unread_total: 1, unread_address: 0, stalled: 0 })
  worst.socket.resume()
  await until(() => worst.closed)
  t.notOk(other.closed)
})

t.test('pipelined responses count together, and too many close the connection', async (t) => {
  const { port, counts } = await open(t, { unreadBytesPerAddress: 3.5 * LARGE })
  await connectDeaf(t, port, get('/large').repeat(10))
  // On a machine that is slow enough the connection itself is the worst before the last request is read.
  await until(() => counts().refused.response === 7 || counts().cut.unread_address === 1)
  t.ok(counts().unreadBytes <= 3.5 * LARGE)

  const many = await connectDeaf(t, port, get('/never').repeat(65))
  many.socket.resume()
  await until(() => many.closed)
  t.equal(counts().cut.pipelined, 1)
  const few = await connectDeaf(t, port, get('/live').repeat(64))
  few.socket.resume()
  await until(() => few.socket.bytesRead > 64 * 100)
  t.notOk(few.closed)
})

t.test('a connection serves one request after another', async (t) => {
  const { port } = await open(t, {})
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const ask = async () => {
    const asked = request({ agent, port, path: '/live' })
    asked.end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    await text(response)
    return asked.reusedSocket
  }
  t.strictSame([await ask(), await ask(), await ask()], [false, true, true])
})

t.test('a compressed response counts completely', async (t) => {
  const { port, counts } = await open(t, { unreadBytesPerAddress: 1.5 * LARGE })
  // Not finished while the one before it is not.
  await connectDeaf(t, port, get('/never') + get('/text', 'Accept-Encoding: gzip\r\n'))
  await until(() => counts().unreadBytes >= LARGE)
})

t.test('a stalled download is closed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-unread-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const file = join(folder, 'large')
  await writeFile(file, '')
  await truncate(file, LARGE)
  let closed = 0
  const { port, counts } = await open(t, { stallMs: 500 }, {}, (app) =>
    app.get('/file', (_request, reply) => void reply.send(createReadStream(file).on('close', () => closed++))),
  )
  await connectDeaf(t, port, get('/file'))
  await until(() => closed === 1)
  t.equal(counts().cut.stalled, 1)
})

t.test('WebSockets that do not read are counted too', async (t) => {
  const config = testConfig({ SOCKET_BUFFER_BYTES: String(64 * MB) })
  const live = createTestEvents()
  const { app } = await createTestApp({
    config: { ...config, connections: { ...config.connections, unreadBytes: 20 * MB } },
    services: { live },
  })
  t.teardown(() => app.close())
  const { connect } = await listenForSockets(t, app)
  const [reader, ...deaf] = [await connect(), await connect(), await connect(), await connect()]
  for (const client of [reader, ...deaf]) {
    await client?.ask({ type: 'subscribe', room: 'trades' })
  }
  for (const client of deaf) client.stall()
  const text = 'x'.repeat(MB)
  for (let events = 0; events < 60 && app.sockets.hub.counts().dropped.slow === 0; events++) {
    live.emit(['trades'], 'trade', { text })
    live.trim(live.head)
    await reader?.next()
  }
  await until(() => app.sockets.hub.counts().dropped.slow > 0)
  t.ok(app.connections.counts().cut.unread_total > 0)
  t.ok(app.connections.counts().unreadBytes <= 20 * MB)
  t.ok(app.sockets.hub.counts().sockets < 4)
  t.ok(reader?.ws.readyState === 1, 'who reads stays')
})

t.test('connections are bounded by address and in total; the longest idle one is closed', async (t) => {
  const { port, counts, waiting } = await open(t, { perAddress: 2, maximum: 3 })
  const busy = [await connectDeaf(t, port, get('/never')), await connectDeaf(t, port, get('/never'))]
  await until(() => waiting() === 2)
  const crowded = await converse(t, port, '')
  t.match(crowded, /^HTTP\/1\.1 429 /)
  t.match(crowded, /\r\nRetry-After: 5\r\n/)
  t.ok(crowded.endsWith('{"success":false,"data":null,"error":"Too many requests (connections); back off and retry"}'))

  const third = await connectDeaf(t, port, get('/never'), ELSEWHERE)
  await until(() => waiting() === 3)
  const full = await converse(t, port, get('/live'), '127.0.0.3')
  t.match(full, /^HTTP\/1\.1 503 /)
  t.ok(full.endsWith(OVERLOADED))
  third.socket.destroy()
  await until(() => counts().http === 2)
  const idle = await connectDeaf(t, port, get('/live'), ELSEWHERE)
  await until(() => counts().http === 3)
  let answer = ''
  while (!answer.startsWith('HTTP/1.1 200')) answer = await converse(t, port, get('/live', CLOSE), '127.0.0.3')
  idle.socket.resume()
  await until(() => idle.closed)
  t.equal(counts().cut.idle, 1)
  t.same(
    busy.map(({ closed }) => closed),
    [false, false],
  )
  t.ok(counts().refused.connection_address >= 1 && counts().refused.connection_total >= 1)
})

t.test('a rejected connection is closed even if its peer does not close it, also in a flood', async (t) => {
  const { port, counts, waiting } = await open(t, { maximum: 1 })
  await connectDeaf(t, port, get('/never'))
  await until(() => waiting() === 1)
  const refused = await Promise.all(Array.from({ length: 100 }, () => connectDeaf(t, port, get('/live'))))
  for (const { socket } of refused) socket.on('end', () => {}).resume()
  await until(() => refused.every(({ closed }) => closed))
  t.equal(counts().http, 1)
})

t.test('a trusted proxy is exempt from limits by address', async (t) => {
  const env = { TRUST_PROXY: `10.0.0.0/8,${HERE}` }
  const { port, counts, waiting } = await open(t, { perAddress: 1, unreadBytesPerAddress: LARGE }, env)
  await Promise.all([1, 2, 3].map(() => connectDeaf(t, port, get('/large'))))
  await until(() => counts().unreadBytes >= 3 * LARGE)
  t.same(counts().refused, { connection_address: 0, connection_total: 0, response: 0 })
  await connectDeaf(t, port, get('/never'), ELSEWHERE)
  await until(() => waiting() === 1)
  t.match(await converse(t, port, '', ELSEWHERE), /^HTTP\/1\.1 429 /, 'others are')
})

t.test('a request must arrive within 35 s, at every server of the process', async (t) => {
  const { app, services } = await createTestApp()
  const opened = { ...services, config: testConfig(), metrics: createMetrics() } as unknown as Services
  const servers = [app, await buildProbes(opened.config, opened), await buildMetricsServer(opened)]
  t.teardown(() => Promise.all(servers.map((server) => server.close())))
  for (const { server } of servers) {
    const { requestTimeout, headersTimeout } = server
    const { connectionsCheckingInterval } = server as unknown as { connectionsCheckingInterval: number }
    t.ok(requestTimeout > 0 && requestTimeout + connectionsCheckingInterval < 35_000)
    t.ok(headersTimeout > 0 && headersTimeout + connectionsCheckingInterval < 35_000)
  }
})

t.test('unread responses of probes and metrics are closed as well', async (t) => {
  const { app, services } = await createTestApp()
  t.teardown(() => app.close())
  const opened = { ...services, config: testConfig(), metrics: createMetrics() } as unknown as Services
  for (const server of [await buildProbes(opened.config, opened), await buildMetricsServer(opened)]) {
    t.teardown(() => server.close())
    await server.listen({ port: 0, host: HERE })
    const { port } = server.server.address() as AddressInfo
    const many = await connectDeaf(t, port, get('/metrics').repeat(65))
    many.socket.resume()
    await until(() => many.closed)
    t.equal(server.connections.counts().cut.pipelined, 1)
    t.match(await converse(t, port, get('/metrics', CLOSE)), /^HTTP\/1\.1 200 /)
  }
})

t.test('an incomplete request gets 408 and is closed even if its peer does not close it', async (t) => {
  const { port, counts } = await open(t, { requestMs: 500, checkMs: 50 })
  const incomplete = [
    '',
    'GET /live HTTP/1.1\r\nHost',
    'POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
    'POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
    `${get('/live')}GET /live HTTP/1.1\r\nHost`,
  ]
  const answers = await Promise.all(incomplete.map((bytes) => converse(t, port, bytes)))
  for (const [at, answer] of answers.entries()) {
    t.match(answer, /HTTP\/1\.1 408 Request Timeout\r\n/, JSON.stringify(incomplete[at]))
    t.ok(answer.endsWith('{"success":false,"data":null,"error":"The request took too long to arrive"}'))
  }
  await until(() => counts().http === 0)
  t.equal(counts().cut.ended, 5)
})

t.test('invalid bytes do not corrupt a response in progress', async (t) => {
  const { port } = await open(t, {}, {}, (app) =>
    app.get('/begun', (_request, reply) => {
      reply.raw.writeHead(200, { 'content-length': 100 })
      reply.raw.write('begun')
    }),
  )
  const client = connect(port, HERE)
  t.teardown(() => client.destroy())
  let answer = ''
  client.on('data', (chunk) => {
    answer += chunk
    if (answer.endsWith('begun')) client.write('NOT HTTP\r\n\r\n')
  })
  client.write(get('/begun'))
  await once(client, 'close')
  t.match(answer, /begun$/)
})

t.test('a stopping service does not wait for unread responses', async (t) => {
  const { app, port, counts } = await open(t, {}, {}, (app) =>
    app.get('/begun', (_request, reply) => {
      reply.raw.writeHead(200, { 'content-length': 2 * LARGE })
      reply.raw.write(large)
    }),
  )
  await connectDeaf(t, port, get('/begun'))
  await until(() => counts().unreadBytes > 0)
  await app.close()
  t.equal(counts().cut.stalled, 1)
})
