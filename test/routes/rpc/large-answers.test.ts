import t from 'tap'
import { createTestApp, testConfig } from '../../support/app.ts'
import { answer, startThirdParty } from '../../support/third-party.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'

const node = await startThirdParty(t, answer(null))
const { app } = await createTestApp({
  config: testConfig({ RPC_URL: node.url, CHAIN_ID: '1', RATE_LIMITS: 'on', RATE_LIMIT_GLOBAL: '1000/60' }),
})
t.teardown(() => app.close())

const send = (method: string, ...params: unknown[]) =>
  app.inject({ method: 'POST', url: '/rpc', payload: { jsonrpc: '2.0', id: 7, method, params } })
const logsOf = (block: number) => send('eth_getLogs', { blockHash: `0x${String(block).padStart(64, '0')}` })

t.test('two large results are requested at a time, and a bounded number waits', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let [running, most] = [0, 0]
  node.act((response, request) => {
    const { id, method } = JSON.parse(request.body)
    const isLarge = method === 'eth_getLogs'
    if (isLarge) most = Math.max(most, ++running)
    const reply = () => {
      if (isLarge) running--
      answer({ jsonrpc: '2.0', id, result: method })(response, request)
    }
    if (isLarge) released.then(reply)
    else reply()
  })
  const results: unknown[] = []
  const asked = Array.from({ length: 35 }, async (_, block) => {
    results.push((await logsOf(block)).json())
  })
  await waitUntil('one is rejected', () => results.length === 1)
  const error = { code: -32005, message: 'Too many large reads; retry' }
  t.same(results, [{ jsonrpc: '2.0', id: 7, error }])
  t.same((await send('eth_chainId')).json(), { jsonrpc: '2.0', id: 7, result: 'eth_chainId' }, 'others do not wait')
  await waitUntil('two run', () => running === 2)
  release()
  await Promise.all(asked)
  t.equal(results.length, 35)
  t.equal(most, 2)
})

t.test('a response costs a unit for each 256 KiB, also above the quota', async (t) => {
  const remaining = async (length: number) => {
    node.act((response, request) =>
      answer({ jsonrpc: '2.0', id: JSON.parse(request.body).id, result: 'x'.repeat(length) })(response, request),
    )
    return Number((await send('eth_getCode', `0x${length}`)).headers['ratelimit-remaining'])
  }
  const before = await remaining(1)
  t.equal(await remaining(2), before - 1)
  t.equal(await remaining(256 * 1024), before - 3)
  t.equal(await remaining(2560 * 1024), before - 14)
})

t.test('a result keeps its text, wherever the node puts it', async (t) => {
  for (const text of [
    '{"jsonrpc":"2.0","id":1,"result":{"a": 12345678901234567890}} \n',
    '{"id":1,"result":{"a":1},"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":1},"took":"1 ms"}',
  ]) {
    node.act((response) => response.setHeader('content-type', 'application/json').end(text))
    const { body } = await send('eth_getBlockByHash', `0x${'0'.repeat(64)}`, false)
    const result = text.startsWith('{"jsonrpc":"2.0","id":1,"result":{"a": ')
      ? '{"a": 12345678901234567890}'
      : '{"a":1}'
    t.equal(body, `{"jsonrpc":"2.0","id":7,"result":${result}}`)
  }
})
