import t from 'tap'
import { AppError } from '../../../errors.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { type Act, answer, hangUp, startThirdParty } from '../../support/third-party.ts'

const MB = 1024 * 1024
const sized =
  (length: number): Act =>
  (response, request) =>
    answer({ jsonrpc: '2.0', id: JSON.parse(request.body).id, result: 'x'.repeat(length) })(response, request)

const node = await startThirdParty(t, sized(1))
let thrown: Error | undefined
const { app } = await createTestApp({
  config: testConfig({ RPC_URL: `${node.url}/key-0123456789`, CHAIN_ID: '1' }),
  extend: (app) =>
    app.addHook('preParsing', async () => {
      if (thrown) throw thrown
    }),
})
t.teardown(() => app.close())

const send = async (body: unknown) => {
  const response = await app.inject({ method: 'POST', url: '/rpc', payload: body as object })
  return { status: response.statusCode, text: response.body, headers: response.headers }
}
const calls = (count: number, method = 'eth_getCode') =>
  Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method, params: [`0x${id}`] }))
const failure = (code: number, message: string, id: number | null) => ({ jsonrpc: '2.0', id, error: { code, message } })

t.beforeEach(() => {
  node.received.length = 0
  thrown = undefined
})

t.test('a response of ten megabytes passes; a larger one is -32005', async (t) => {
  node.act(sized(10 * MB - 1_000))
  t.equal((await send(calls(1)[0])).text.length, 10 * MB - 1_000 + '{"jsonrpc":"2.0","id":0,"result":""}'.length)
  node.act(sized(10 * MB))
  t.same(JSON.parse((await send(calls(1)[0])).text), failure(-32005, 'The answer is too large', 0))
})

t.test('the responses of a batch share that limit; calls beyond it are rejected without a request', async (t) => {
  node.act(sized(4 * MB))
  const { status, text } = await send(calls(30))
  t.equal(status, 200)
  const answers = JSON.parse(text) as { id: number; result?: string; error?: object }[]
  t.equal(answers.length, 30)
  t.equal(answers.filter(({ result }) => result).length, 2)
  t.same(new Set(answers.map(({ id }) => id)).size, 30)
  const tooLarge = { code: -32005, message: 'The answers of this batch are too large' }
  for (const { error } of answers) if (error) t.same(error, tooLarge)
  t.ok(node.received.length < 15)
})

t.test('a transaction that was sent keeps its response, even if the size limit is reached', async (t) => {
  const hash = `0x${'ab'.repeat(32)}`
  const filled = Promise.withResolvers<void>()
  node.act((response, request) => {
    const { id, method, params } = JSON.parse(request.body)
    const reply = (result: string) => answer({ jsonrpc: '2.0', id, result })(response, request)
    if (params[0] === '0x0') return reply('x'.repeat(10 * MB - 100))
    // The eleventh call is made when the answer of the first one has arrived.
    if (params[0] === '0x10') filled.resolve()
    filled.promise.then(() => reply(method === 'eth_sendRawTransaction' ? hash : 'x'.repeat(100)))
  })
  const batch = calls(11).map((call) =>
    call.id === 1 ? { ...call, method: 'eth_sendRawTransaction', params: ['0x02f86b'] } : call,
  )
  const answers = JSON.parse((await send(batch)).text) as { id: number; result?: string }[]
  t.same(
    answers.find(({ id }) => id === 1),
    { jsonrpc: '2.0', id: 1, result: hash },
  )
  t.equal(answers.filter(({ result }) => result).length, 2, 'others are too large')
})

t.test('equal calls of a batch are sent once', async (t) => {
  node.act(sized(5))
  const { text } = await send(calls(8).map((call) => ({ ...call, params: [] })))
  t.same(
    JSON.parse(text).map(({ result }: { result: string }) => result),
    Array(8).fill('xxxxx'),
  )
  t.equal(node.received.length, 1)
})

t.test('without a node every call gets an error that names no node', async (t) => {
  node.act(hangUp)
  const { status, text } = await send([
    ...calls(2),
    { jsonrpc: '2.0', id: 2, method: 'eth_getLogs', params: [{ fromBlock: '0x1' }] },
  ])
  t.equal(status, 200)
  const failed = { code: -32603, message: 'No node answered' }
  t.same(
    JSON.parse(text).map(({ error }: { error?: object }) => error),
    [failed, failed, failed],
  )
  t.notMatch(text, /127\.0\.0\.1|key/)
})

t.test('only the rate limiter sets an HTTP status, with a JSON-RPC body', async (t) => {
  thrown = new AppError('RATE_LIMITED', { bucket: 'global' }, { retryAfter: 7 })
  const { status, text, headers } = await send(calls(1))
  t.equal(status, 429)
  t.equal(headers['retry-after'], '7')
  t.equal(headers['x-error-reason'], 'RATE_LIMITED')
  t.same(JSON.parse(text), failure(-32005, 'Too many requests (global); back off and retry', null))
})

t.test('an unexpected error is -32603 without details', async (t) => {
  thrown = new Error('postgres://user:password@host')
  const { status, text } = await send(calls(1))
  t.equal(status, 200)
  t.same(JSON.parse(text), failure(-32603, 'Internal server error', null))
})
