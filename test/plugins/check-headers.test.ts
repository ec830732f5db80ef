import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { createMetrics } from '../../lib/telemetry/create-metrics.ts'
import { buildMetricsServer, buildProbes } from '../../probes.ts'
import type { Services } from '../../services.ts'
import { createTestApp, testConfig } from '../support/app.ts'

const { app, services } = await createTestApp()
await app.listen({ port: 0, host: '127.0.0.1' })
t.teardown(() => app.close())

/** Sends bytes on a connection of their own; what comes back, without an interim 100. */
async function send(bytes: string, port = (app.server.address() as AddressInfo).port) {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  socket.write(bytes)
  const giveUp = setTimeout(() => socket.destroy(new Error(`Never closed: ${bytes}`)), 60_000)
  await once(socket, 'close')
  clearTimeout(giveUp)
  const [head = '', ...rest] = text.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') }
}

const METHODS = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND QUERY'.split(' ')
const JSON_BODY = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
const CHUNKED_BODY = 'Content-Type: application/json\r\n\r\n2\r\n{}\r\n0\r\n\r\n'
const oddHeaders: Record<string, string> = {
  'an encoding of a body that is not there': 'Content-Encoding: gzip\r\n\r\n',
  'an encoded body': `Content-Encoding: gzip\r\n${JSON_BODY}`,
  'several encodings': `Content-Encoding: identity, br\r\n${JSON_BODY}`,
  'a compressed transfer': `Transfer-Encoding: gzip, chunked\r\n${CHUNKED_BODY}`,
  'a transfer that does not end': 'Transfer-Encoding: gzip\r\n\r\n{}',
  'a length and a transfer encoding': `Transfer-Encoding: chunked\r\n${JSON_BODY}`,
  'a length that is no number': 'Content-Length: many\r\n\r\n',
  'an expectation': `Expect: a-miracle\r\n${JSON_BODY}`,
  'the expectation that there is': `Expect: 100-continue\r\n${JSON_BODY}`,
  'HTTP/2': 'Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
  'a WebSocket': 'Connection: close, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n',
  'an upgrade to nothing': 'Connection: close, Upgrade\r\nUpgrade: \r\n\r\n',
  trailers: `TE: trailers, deflate;q=0.5\r\nTrailer: Expires\r\nTransfer-Encoding: chunked\r\n${CHUNKED_BODY}`,
  'a body of another type': 'Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi',
  'a preflight with a body': `Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n${JSON_BODY}`,
}

for (const path of ['/auth/nonce', '/api/config', '/rpc', '/nowhere', '/ws']) {
  t.test(`${path} answers unusual headers in the response envelope, with every method`, async (t) => {
    for (const method of METHODS)
      await Promise.all(
        Object.entries(oddHeaders).map(async ([name, rest]) => {
          const label = `${method}: ${name}`
          const { status, head, body } = await send(
            `${method} ${path} HTTP/1.1\r\nHost: a\r\n${rest.includes('Connection') ? '' : 'Connection: close\r\n'}${rest}`,
          )
          t.ok(status >= 200 && status < 500, `${label}: ${status}`)
          if (method === 'HEAD' || status === 204) return
          t.match(head, /\r\ncontent-type: application\/json/i, label)
          const told = JSON.parse(body)
          if (path === '/rpc' && status === 200) t.equal(told.jsonrpc, '2.0', label)
          else if (status < 400) t.equal(told.success, true, label)
          else t.match(told, { success: false, data: null, error: String }, label)
        }),
      )
  })
}

t.test('a preflight with body headers succeeds, and one without Host gets an error in the envelope', async (t) => {
  const preflight = (headers: string) => send(`OPTIONS /buy HTTP/1.1\r\nConnection: close\r\n${headers}\r\n`)
  const host = 'Host: a\r\nOrigin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n'
  for (const odd of ['', 'Content-Encoding: gzip\r\n', 'Expect: a-miracle\r\n'])
    t.equal((await preflight(host + odd)).status, 204, odd)
  const { status, body } = await preflight('')
  t.same([status, JSON.parse(body)], [400, { success: false, data: null, error: 'Malformed HTTP request' }])
})

t.test('a rejected Expect header is JSON-RPC at the proxy, with all common headers', async (t) => {
  const rest = `Host: a\r\nOrigin: https://a.example\r\nConnection: close\r\nExpect: a-miracle\r\n${JSON_BODY}`
  const proxied = await send(`POST /rpc HTTP/1.1\r\n${rest}`)
  t.match(JSON.parse(proxied.body), { jsonrpc: '2.0', id: null, error: { code: -32600 } })
  const { status, head } = await send(`POST /buy HTTP/1.1\r\n${rest}`)
  t.equal(status, 417)
  for (const header of ['x-request-id', 'access-control-allow-origin', 'x-content-type-options'])
    t.match(head.toLowerCase(), `\r\n${header}: `)
})

t.test('any version line but HTTP/1.0 and HTTP/1.1 gets 400, at every path and port', async (t) => {
  const metrics = await buildMetricsServer({ metrics: createMetrics(), log: services.log })
  const config = testConfig({ METRICS_PORT: '9464' })
  const opened = { ...services, config, metrics: createMetrics(), replica: null, writes: services.db }
  const probes = await buildProbes(config, opened as unknown as Services)
  for (const server of [metrics, probes]) {
    t.teardown(() => server.close())
    await server.listen({ port: 0, host: '127.0.0.1' })
  }
  const portOf = ({ server }: FastifyInstance) => (server.address() as AddressInfo).port
  const answers: [FastifyInstance, string, number][] = [
    [app, 'GET /live', 200],
    [app, 'GET /', 0],
    [app, 'OPTIONS /buy', 204],
    [app, 'POST /rpc', 0],
    [app, 'GET /nowhere', 404],
    [app, 'CONNECT a:1', 405],
    [metrics, 'GET /metrics', 200],
    [probes, 'GET /live', 200],
  ]
  const rest = '\r\nHost: a\r\nConnection: close\r\n\r\n'
  for (const [server, line, expected] of answers) {
    for (const version of [' HTTP/1.1', ' HTTP/1.0']) {
      const { status } = await send(`${line}${version}${rest}`, portOf(server))
      if (expected > 0) t.equal(status, expected, line + version)
    }
    for (const version of ['', ...' HTTP/0.9, HTTP/2.0, HTTP/1.2, HTTP/1.10, HTTP/2, HTTP/3.0, http/1.1'.split(',')]) {
      const { status, body } = await send(`${line}${version}${rest}`, portOf(server))
      t.equal(status, 400, line + version)
      t.match(body, 'Malformed HTTP request', line + version)
    }
  }
  const key = Buffer.alloc(16).toString('base64')
  const handshake = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n`
  for (const [version, status] of [
    ['HTTP/1.1', 101],
    ['HTTP/0.9', 400],
    ['HTTP/2.0', 400],
  ] as const) {
    const socket = connect(portOf(app), '127.0.0.1')
    socket.write(`GET /ws ${version}\r\nHost: a\r\n${handshake}\r\n`)
    const [answer] = await once(socket, 'data')
    t.match(String(answer), `HTTP/1.1 ${status} `, `a socket over ${version}`)
    // A rejected handshake does not keep its connection, which would delay the shutdown.
    if (status === 101) socket.destroy()
    else await once(socket, 'close')
  }
  t.equal((await send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).status, 400, 'the preface of HTTP/2')
})

t.test('errors of the metrics server have the response envelope as well', async (t) => {
  const server = await buildMetricsServer({ metrics: app.metrics, log: services.log })
  t.teardown(() => server.close())
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  for (const [line, status] of [
    ['CONNECT a:1', 405],
    ['POST /metrics', 405],
    ['OPTIONS /metrics', 405],
    ['GET /nowhere', 404],
  ] as const) {
    const answer = await send(`${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: b\r\n\r\n`, port)
    t.equal(answer.status, status, line)
    t.match(JSON.parse(answer.body), { success: false, data: null })
  }
})
