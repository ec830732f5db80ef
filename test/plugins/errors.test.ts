import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import t from 'tap'
import { AppError, catalogue, type ErrorCode } from '../../errors.ts'
import { sendError, toAppError } from '../../plugins/errors.ts'
import { Closed, Line } from '../../schemas/common.ts'
import { createTestApp, testConfig } from '../support/app.ts'

const { app } = await createTestApp({
  extend: (app) => {
    app.get('/boom', async () => {
      throw new Error('postgres://user:password@host')
    })
    app.get('/later', async () => {
      throw new AppError('TRANSACTION_PENDING', {}, { retryAfter: 1.5 })
    })
    app.post(
      '/things',
      { schema: { body: Closed({ name: Line(1, 8, 'A name.'), count: Type.Optional(Type.Integer()) }) } },
      async () => ({}),
    )
    app.get(
      '/things',
      { schema: { querystring: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) }) } },
      async ({ query }) => query as object,
    )
  },
})
t.teardown(() => app.close())

const failure = (error: string) => ({ success: false, data: null, error })
const json = { 'content-type': 'application/json' }

t.test('an unknown path is 404, regardless of the body', async (t) => {
  const answer = await app.inject({ method: 'POST', url: '/nowhere?x=1', headers: json, payload: '{' })
  t.equal(answer.statusCode, 404)
  t.same(answer.json(), failure('No route POST /nowhere'))
})

t.test('a known path with another method is 405 with Allow, at both mounts', async (t) => {
  for (const url of ['/health', '/api/health']) {
    for (const method of ['DELETE', 'POST', 'TRACE'] as const) {
      const answer = await app.inject({ method: method as 'POST', url })
      t.equal(answer.statusCode, 405)
      t.equal(answer.headers.allow, 'GET, HEAD')
      t.same(answer.json(), failure(`${method} is not allowed here; use GET, HEAD`))
    }
  }
  t.equal((await app.inject({ method: 'PATCH', url: '/config/abis/erc20' })).statusCode, 405)
  t.equal((await app.inject({ method: 'PATCH', url: '/config/abis/erc20/more' })).statusCode, 404)
})

t.test('a body that is not JSON, of another type, or too large is rejected', async (t) => {
  const post = (payload: string, headers: Record<string, string> = json) =>
    app.inject({ method: 'POST', url: '/things', payload, headers })
  const cases: [answer: Awaited<ReturnType<typeof post>>, status: number, error: string][] = [
    [await post('{"name"'), 400, 'body is not valid JSON'],
    [await post('{"__proto__":{"a":1}}'), 400, 'body is not valid JSON'],
    [await post(''), 400, 'body must be an object'],
    [await post('null'), 400, 'body must be an object'],
    [await post('[]'), 400, 'body must be an object'],
    [await post('hello', { 'content-type': 'text/plain' }), 415, 'Unsupported content type; send application/json'],
    [await post('a=1', { 'content-type': 'a' }), 415, 'Unsupported content type; send application/json'],
    [
      await post('{}', { ...json, 'content-encoding': 'gzip' }),
      415,
      'Unsupported content encoding; send the body uncompressed',
    ],
    [await post(JSON.stringify({ name: 'x'.repeat(70_000) })), 413, 'Request body is too large'],
  ]
  for (const [answer, status, error] of cases) {
    t.equal(answer.statusCode, status, error)
    t.same(answer.json(), failure(error))
    t.match(answer.headers['content-type'], 'application/json')
  }
})

t.test('an invalid field is named, with its requirement', async (t) => {
  const body = async (payload: object) => (await app.inject({ method: 'POST', url: '/things', payload })).json().error
  const query = async (text: string) => (await app.inject(`/things?${text}`)).json().error
  t.equal(await body({}), 'body.name is required')
  t.equal(await body({ name: 5 }), 'body.name must be a string')
  t.equal(await body({ name: null }), 'body.name must be a string')
  t.equal(await body({ name: '' }), 'body.name must have at least 1 character')
  t.equal(await body({ name: 'a\u0000b' }), 'body.name must not contain control characters')
  t.equal(await body({ name: 'a', count: '5' }), 'body.count must be an integer', 'nothing in a body is coerced')
  t.equal(await body({ name: 'a', other: 1 }), 'body.other is not a known field')
  t.equal(await query('limit=101'), 'query.limit must be <= 100')
  t.equal(await query('limit=0'), 'query.limit must be >= 1')
  for (const bad of ['abc', '1.5', '', '1e400', 'NaN', '%20', '%205', '0x10'])
    t.match(await query(`limit=${bad}`), /^query\.limit must be/, bad)
  t.equal(await query('limit=1&limit=2'), 'query.limit must not be given twice')
  for (const misspelt of ['limit[]', 'limit[0]', 'Limit', 'LIMIT[]', 'limt', 'lmiit', 'limits', '_limit'])
    t.equal(await query(`limit=5&${misspelt}=2`), `query.${misspelt} is not a known parameter; use limit`)
  t.same(
    (await app.inject('/things?limit=5&unknown=1')).json(),
    { limit: 5, unknown: '1' },
    'an unknown query parameter is ignored',
  )
})

t.test('an error has its reason in a header, which pages of any origin can read', async (t) => {
  const cases: [method: 'GET' | 'POST' | 'DELETE', url: string, status: number, reason: ErrorCode][] = [
    ['GET', '/things?limit=0', 400, 'INVALID_INPUT'],
    ['GET', '/auth/me', 401, 'JWT_MISSING'],
    ['GET', '/nowhere', 404, 'ROUTE_NOT_FOUND'],
    ['DELETE', '/things', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/later', 425, 'TRANSACTION_PENDING'],
    ['GET', '/boom', 500, 'INTERNAL'],
    ['GET', '/health', 503, 'UNHEALTHY'],
    ['GET', '/%zz', 400, 'MALFORMED_URL'],
    ['GET', `/config/abis/${'x'.repeat(2000)}`, 414, 'URL_TOO_LONG'],
    ['GET', '/integrations/udf/search?limit=0', 400, 'INVALID_INPUT'],
  ]
  for (const [method, url, status, reason] of cases) {
    const { statusCode, headers } = await app.inject({ method, url, headers: { origin: 'https://app.example' } })
    t.same([statusCode, headers['x-error-reason']], [status, reason], `${method} ${url}`)
    // What the router cannot read is answered before any hook runs.
    if (reason === 'MALFORMED_URL' || reason === 'URL_TOO_LONG') continue
    t.match(headers['access-control-expose-headers'], /\bx-error-reason\b/)
  }
  t.equal((await app.inject('/things')).headers['x-error-reason'], undefined, 'a success has no reason')
})

t.test('the JSON-RPC proxy sets the reason header for requests without a call', async (t) => {
  const post = (headers: Record<string, string>, payload: string) =>
    app.inject({ method: 'POST', url: '/rpc', headers, payload })
  const media = await post({ 'content-type': 'text/plain' }, 'hello')
  t.same([media.statusCode, media.headers['x-error-reason']], [200, 'UNSUPPORTED_MEDIA_TYPE'])
  const call = await post(json, '{"jsonrpc":"2.0","id":1,"method":"nothing"}')
  t.same([call.statusCode, call.headers['x-error-reason']], [200, undefined], 'an error of a call is JSON-RPC’s own')
})

t.test('an unexpected error is 500 without details', async (t) => {
  const answer = await app.inject('/boom')
  t.equal(answer.statusCode, 500)
  t.same(answer.json(), failure('Internal server error'))
})

t.test('a temporary error has Retry-After', async (t) => {
  const answer = await app.inject('/later')
  t.equal(answer.statusCode, 425)
  t.equal(answer.headers['retry-after'], '2')
  t.same(answer.json(), failure('Transaction is not mined yet'))
})

t.test('an undecodable URL is 400, an overlong one 414', async (t) => {
  const bad = await app.inject('/%zz')
  t.equal(bad.statusCode, 400)
  t.same(bad.json(), failure('Malformed URL'))
  t.ok(bad.headers['x-request-id'])
  t.equal((await app.inject(`/config/abis/${'x'.repeat(2000)}`)).statusCode, 414)
  t.equal((await app.inject(`/config/abis/${'x'.repeat(200)}`)).statusCode, 400)
})

t.test('every response has a request id: the caller’s if it is valid', async (t) => {
  const idOf = async (given: string) =>
    (await app.inject({ url: '/nowhere', headers: { 'x-request-id': given } })).headers['x-request-id']
  t.equal(await idOf('trace-1.a:b'), 'trace-1.a:b')
  for (const given of ['', 'a b', 'x'.repeat(129), '<script>']) t.match(await idOf(given), /^[0-9a-f-]{36}$/)
})

t.test('database errors are distinguished by SQLSTATE', async (t) => {
  const reasonOf = (fields: object, message = 'x') => toAppError(Object.assign(new Error(message), fields)).reason
  const expected: [object, ErrorCode][] = [
    [{ code: '08006', severity: 'FATAL' }, 'DATABASE_UNAVAILABLE'],
    [{ code: '57P01', severity: 'FATAL' }, 'DATABASE_UNAVAILABLE'],
    [{ code: '53300', severity: 'FATAL' }, 'OVERLOADED'],
    [{ code: '55P03', severity: 'ERROR' }, 'OVERLOADED'],
    [{ code: '57014', severity: 'ERROR' }, 'OVERLOADED'],
    [{ code: '25P03', severity: 'FATAL' }, 'OVERLOADED'],
    [{ code: '25006', severity: 'ERROR' }, 'DATABASE_READ_ONLY'],
    [{ code: '53100', severity: 'ERROR' }, 'DATABASE_FULL'],
    [{ code: '58030', severity: 'ERROR' }, 'DATABASE_UNAVAILABLE'],
    [{ code: '22021', severity: 'ERROR' }, 'UNSTORABLE_TEXT'],
    [{ code: '22P05', severity: 'ERROR' }, 'UNSTORABLE_TEXT'],
    [{ code: '23505', severity: 'ERROR' }, 'CONFLICT'],
    [{ code: '42P01', severity: 'ERROR' }, 'INTERNAL'],
    [{ code: 'ECONNREFUSED' }, 'DATABASE_UNAVAILABLE'],
    [{ code: 'ENOENT' }, 'INTERNAL'],
  ]
  for (const [fields, reason] of expected) t.equal(reasonOf(fields), reason, JSON.stringify(fields))
  t.equal(reasonOf({}, 'Connection terminated unexpectedly'), 'DATABASE_UNAVAILABLE')
  const onWorker = { code: 'XX000', severity: 'ERROR' }
  for (const message of [
    'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
    'failure on connection marked as essential: 10.0.0.2:5432',
  ])
    t.equal(reasonOf(onWorker, message), 'DATABASE_UNAVAILABLE', message)
  t.equal(reasonOf(onWorker, 'cache lookup failed for relation 5'), 'INTERNAL')
  t.equal(toAppError('a string').reason, 'INTERNAL')
})

t.test('of the statuses of libraries, those that blame the request are kept', async (t) => {
  const reasonOf = (statusCode: unknown) => toAppError(Object.assign(new Error('x'), { statusCode })).reason
  t.strictSame([399, 400, 413, 499, 500, '400'].map(reasonOf), [
    'INTERNAL',
    'MALFORMED_REQUEST',
    'BODY_TOO_LARGE',
    'MALFORMED_REQUEST',
    'INTERNAL',
    'INTERNAL',
  ])
})

t.test('receipt sync fails with the specified error messages', async (t) => {
  const sentences: Partial<Record<ErrorCode, [number, string]>> = {
    TRANSACTION_NOT_FOUND: [404, 'Transaction not found'],
    TRANSACTION_PENDING: [425, 'Transaction is not mined yet'],
    TRANSACTION_REVERTED: [422, 'Transaction reverted'],
    EVENT_MISSING: [422, 'Transaction lacks the expected event'],
    TRANSACTION_FOREIGN: [403, 'Transaction belongs to a different wallet'],
    TRANSACTION_ALREADY_INDEXED: [409, 'Transaction already indexed'],
    SIGNATURE_INVALID: [401, 'Invalid signature'],
    MESSAGE_MISMATCH: [401, 'Message does not match the issued message'],
    NONCE_USED: [401, 'Nonce expired or already used'],
  }
  for (const [code, [status, message]] of Object.entries(sentences)) {
    const { status: actual } = catalogue[code as ErrorCode]
    t.same([actual, new AppError(code as 'INTERNAL').message], [status, message])
  }
})

t.test('invalid HTTP gets an error in the envelope', async (t) => {
  const { app } = await createTestApp({ config: testConfig() })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const send = async (bytes: string) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    socket.write(bytes)
    await once(socket, 'close')
    const [head = '', body = ''] = text.split('\r\n\r\n')
    return { head, body: JSON.parse(body), length: Buffer.byteLength(body) }
  }
  const cases: [bytes: string, status: number, error: string, reason: ErrorCode][] = [
    ['NOT HTTP AT ALL\r\n\r\n', 400, 'Malformed HTTP request', 'MALFORMED_REQUEST'],
    ['GET /live HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'Malformed HTTP request', 'MALFORMED_REQUEST'],
    [
      `GET /live HTTP/1.1\r\nHost: a\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'Request headers are too large',
      'HEADERS_TOO_LARGE',
    ],
    [
      'POST /auth/nonce HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'Malformed HTTP request',
      'MALFORMED_REQUEST',
    ],
    [
      'POST /auth/nonce HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      417,
      'Unsupported Expect header',
      'EXPECTATION_FAILED',
    ],
  ]
  for (const [bytes, status, error, reason] of cases) {
    const { head, body, length } = await send(bytes)
    t.match(head, new RegExp(`^HTTP/1.1 ${status} `), error)
    t.match(head, /\r\nx-request-id: [0-9a-f-]{36}/i)
    t.match(head, new RegExp(`\r\nx-error-reason: ${reason}\r\n`, 'i'))
    t.match(head, /\r\ncontent-type: application\/json/i)
    const declared = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (declared) t.equal(Number(declared), length)
    t.same(body, failure(error))
  }
})

t.test('an unexpected error is logged with its stack, an expected one in one line', async (t) => {
  const lines: object[] = []
  const stream = { write: (line: string) => lines.push(JSON.parse(line)) }
  const app = Fastify({
    logger: { level: 'info', stream },
    logController: new Fastify.LogController({ disableRequestLogging: true }),
  })
  t.teardown(() => app.close())
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.get('/boom', async () => {
    throw new Error('Something unforeseen')
  })
  app.get('/unhealthy', async () => {
    throw new AppError('UNHEALTHY', { failed: ['indexer'] })
  })
  t.equal((await app.inject('/boom')).statusCode, 500)
  t.equal((await app.inject('/unhealthy')).statusCode, 503)
  t.match(lines, [
    { level: 50, reason: 'INTERNAL', err: { message: 'Something unforeseen', stack: /errors\.test/ } },
    { level: 40, reason: 'UNHEALTHY', msg: 'Failed checks: indexer' },
  ])
  t.notMatch(lines[1], { err: {} })
})
