import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { keccak256 } from 'viem'
import rpcUpstreams, { SEND_TRANSACTION } from '../../features/rpc-proxy/index.ts'
import metrics from '../../plugins/metrics.ts'
import requestRoute from '../../plugins/request-route.ts'
import { testConfig } from '../support/app.ts'
import {
  type Act,
  answer,
  breakOff,
  flood,
  hangUp,
  stall,
  startThirdParty,
  stayMute,
  type ThirdParty,
} from '../support/third-party.ts'

// The clock that the breakers read; it is moved instead of waited for.
const realNow = Date.now
let passed = 0
Date.now = () => realNow() + passed

/** A node that answers every call with this, under the id of the call. */
const node =
  (member: Record<string, unknown>, status = 200): Act =>
  (response, request) =>
    answer({ jsonrpc: '2.0', id: JSON.parse(request.body).id, ...member }, status)(response, request)
const good = node({ result: '0x1' })
const RESULT = { member: 'result', json: '"0x1"' }
const failure = (code: number, message: string) => ({ member: 'error', json: JSON.stringify({ code, message }) })

async function open(
  t: Test,
  acts: Act[],
  options: { urls?: (nodes: ThirdParty[]) => string[]; timeoutMs?: number } = {},
) {
  const nodes = await Promise.all(acts.map((act) => startThirdParty(t, act)))
  const urls = options.urls?.(nodes) ?? nodes.map(({ url }) => url)
  const app = Fastify()
  t.teardown(() => app.close())
  const rpc = urls.length > 0 ? { RPC_URL: urls.join(), CHAIN_ID: '1' } : {}
  await app.register(requestRoute)
  await app.register(metrics)
  await app.register(rpcUpstreams, {
    config: testConfig({ ...rpc, RPC_PROXY_TIMEOUT_MS: String(options.timeoutMs ?? 10_000) }),
  })
  await app.ready()
  const counts = () => nodes.map(({ received }) => received.length)
  return { call: app.rpcUpstreams.call, nodes, counts, scrape: () => app.metrics.scrape() }
}

t.test('a call is sent to the first node, without other members of the request', async (t) => {
  const { call, nodes, counts } = await open(t, [good, good])
  t.same(await call('eth_getBalance', ['0x12', 'latest']), RESULT)
  t.same(counts(), [1, 0])
  t.match(nodes[0]?.received[0], { method: 'POST', path: '/', headers: { 'content-type': 'application/json' } })
  t.match(JSON.parse(nodes[0]?.received[0]?.body ?? ''), {
    jsonrpc: '2.0',
    method: 'eth_getBalance',
    params: ['0x12', 'latest'],
  })
})

const failing: [what: string, act: Act][] = [
  ['hangs up', hangUp],
  ['breaks off', breakOff],
  ['does not respond', stayMute],
  ['stalls', stall],
  ['answers 500', answer({ jsonrpc: '2.0', id: 1, result: '0x0' }, 500)],
  ['answers 401', answer({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'no key' } }, 401)],
  ['answers 429', answer('', 429, { 'retry-after': '3' })],
  ['answers HTML', answer('<html>')],
  ['answers an empty body', answer('')],
  ['answers null', answer('null')],
  ['answers a list', answer([{ jsonrpc: '2.0', id: 1, result: '0x0' }])],
  ['answers with another id', answer({ jsonrpc: '2.0', id: 7, result: '0x0' })],
  ['answers neither result nor error', answer({ jsonrpc: '2.0', id: 1 })],
  ['answers an invalid error', answer({ jsonrpc: '2.0', id: 1, error: 'bad' })],
]
for (const [what, act] of failing) {
  t.test(`a call is sent to the next node when one ${what}`, async (t) => {
    const { call, counts } = await open(t, [act, good], [stayMute, stall].includes(act) ? { timeoutMs: 1_000 } : {})
    t.same(await call('eth_chainId', []), RESULT)
    t.same(counts(), [1, 1])
  })
}

t.test('a call is sent to the next node when one is unreachable', async (t) => {
  const { call } = await open(t, [good], { urls: ([only]) => ['http://127.0.0.1:1', only?.url ?? ''] })
  t.same(await call('eth_chainId', []), RESULT)
})

t.test('an error of the call is returned without a retry at another node', async (t) => {
  const error = { code: 3, message: 'execution reverted: no', data: '0x08c379a0' }
  for (const status of [200, 400]) {
    const { call, counts } = await open(t, [node({ error: { ...error, extra: 1 } }, status), good])
    t.same(await call('eth_call', [{}]), { member: 'error', json: JSON.stringify(error) })
    t.same(counts(), [1, 0])
  }
})

t.test('a null result is returned, and a null error beside a result is ignored', async (t) => {
  const { call, nodes } = await open(t, [node({ result: null })])
  t.same(await call('eth_getTransactionByHash', ['0x']), { member: 'result', json: 'null' })
  nodes[0]?.act(node({ result: false, error: null }))
  t.same(await call('eth_syncing', []), { member: 'result', json: 'false' })
})

t.test('the error names no node when none responds', async (t) => {
  const { call } = await open(t, [hangUp, answer('', 503)])
  t.same(await call('eth_chainId', []), failure(-32603, 'No node answered'))
  const late = await open(t, [stayMute], { timeoutMs: 100 })
  t.same(await late.call('eth_chainId', []), failure(-32603, 'The node did not answer in time'))
  const none = await open(t, [])
  t.same(await none.call('eth_chainId', []), failure(-32603, 'No node answered'))
})

t.test('an oversized response is rejected without a retry at another node', async (t) => {
  const { call, counts } = await open(t, [flood, good])
  t.same(await call('eth_getLogs', [{}]), failure(-32005, 'The answer is too large'))
  t.same(counts(), [1, 0], 'it would be as large elsewhere')
})

t.test('a node that failed three times in a row is skipped for five seconds', async (t) => {
  const { call, nodes, counts, scrape } = await open(t, [answer('', 500), good])
  const openCircuits = async () => (await scrape()).match(/^slipway_rpc_circuits_open.*$/gm)
  t.same(await openCircuits(), [
    'slipway_rpc_circuits_open{upstream="0"} 0',
    'slipway_rpc_circuits_open{upstream="1"} 0',
  ])
  for (let i = 0; i < 5; i++) t.same(await call('eth_chainId', []), RESULT)
  t.same(counts(), [3, 5])
  t.same(await openCircuits(), [
    'slipway_rpc_circuits_open{upstream="0"} 1',
    'slipway_rpc_circuits_open{upstream="1"} 0',
  ])
  passed += 5_000
  nodes[0]?.act(good)
  for (let i = 0; i < 3; i++) t.same(await call('eth_chainId', []), RESULT)
  t.same(counts(), [6, 5], 'well again, it is the first again')
})

t.test('a node that responds 429 is skipped for its Retry-After', async (t) => {
  const { call, counts } = await open(t, [answer('', 429, { 'retry-after': '40' }), good])
  for (let i = 0; i < 3; i++) t.same(await call('eth_chainId', []), RESULT)
  t.same(counts(), [1, 3])
  passed += 30_000
  await call('eth_chainId', [])
  t.same(counts(), [1, 4])
  passed += 10_000
  await call('eth_chainId', [])
  t.same(counts(), [2, 5])
})

t.test('a failing node is still tried when no other is left', async (t) => {
  const { call, nodes } = await open(t, [answer('', 500)])
  for (let i = 0; i < 4; i++) t.same(await call('eth_chainId', []), failure(-32603, 'No node answered'))
  nodes[0]?.act(good)
  t.same(await call('eth_chainId', []), RESULT)
})

t.test('concurrent reads are coalesced into one request, later ones are sent again', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { call, nodes, counts } = await open(t, [(...args) => void released.then(() => good(...args))])
  const calls = Array.from({ length: 40 }, (_, i) => call('eth_getBalance', [`0x${i % 2}`, 'latest']))
  setImmediate(release)
  for (const reply of await Promise.all(calls)) t.same(reply, RESULT)
  t.same(counts(), [2])
  nodes[0]?.act(good)
  await call('eth_getBalance', ['0x0', 'latest'])
  t.same(counts(), [3])
})

t.test('identical concurrent transactions are not coalesced', async (t) => {
  const { call, counts } = await open(t, [good])
  const replies = await Promise.all(Array.from({ length: 5 }, () => call(SEND_TRANSACTION, ['0x02'])))
  for (const reply of replies) t.same(reply, RESULT)
  t.same(counts(), [5])
})

t.test('a transaction whose response was lost is answered with its hash when the next node has it', async (t) => {
  const known = node({ error: { code: -32000, message: 'already known' } })
  const hash = { member: 'result', json: JSON.stringify(keccak256('0x02')) }
  const lost = await open(t, [hangUp, known])
  t.same(await lost.call(SEND_TRANSACTION, ['0x02']), hash)
  const other = await open(t, [hangUp, node({ error: { code: -32000, message: 'nonce too low' } })])
  t.same(await other.call(SEND_TRANSACTION, ['0x02']), failure(-32000, 'nonce too low'))
  const sure = await open(t, [known], { urls: ([only]) => ['http://127.0.0.1:1', only?.url ?? ''] })
  t.same(await sure.call(SEND_TRANSACTION, ['0x02']), failure(-32000, 'already known'), 'nobody had it before')
})

t.test('the URL and the key of a node are removed from its errors', async (t) => {
  const urls = ([only]: ThirdParty[]) => [`${only?.url}/v2/secret-key-0123456789`]
  const { call, nodes } = await open(t, [good], { urls })
  const { host } = new URL(nodes[0]?.url ?? '')
  t.same(await call('eth_chainId', []), RESULT)
  t.equal(nodes[0]?.received[0]?.path, '/v2/secret-key-0123456789')
  for (const message of [`POST http://${host} failed`, 'bad key in /v2/secret-key-0123456789']) {
    nodes[0]?.act(node({ error: { code: -32001, message: 'no', data: message } }))
    t.same(await call('eth_chainId', []), failure(-32001, 'The node refused the call'))
  }
})
