import t, { type Test } from 'tap'
import { startAnvil } from '../../../dev/anvil.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { answer, startThirdParty } from '../../support/third-party.ts'

const GAS_CAP = 50_000_000
// As nodes without a bound of their own are: a call may take whatever it names.
const anvil = await startAnvil({ extraArgs: ['--gas-limit', '1000000000000'] })
t.teardown(() => anvil.stop())
const rpc = { RPC_URL: anvil.url, CHAIN_ID: '31337' }

async function open(t: Test, env: Record<string, string> = {}) {
  const { app } = await createTestApp({ config: testConfig({ ...rpc, ...env }) })
  t.teardown(() => app.close())
  const post = async (payload: object) => {
    const response = await app.inject({ method: 'POST', url: '/rpc', payload })
    return { status: response.statusCode, headers: response.headers, body: response.json() }
  }
  const ask = async (method: string, params: unknown[]) =>
    (await post({ jsonrpc: '2.0', id: 1, method, params })).body as {
      result?: string
      error?: { code: number; message: string }
    }
  return { post, ask }
}

/** Goes round and round. */
const LOOP = '0x5b600056'
/** Returns the gas that is left. */
const GAS_LEFT = '0x5a60005260206000f3'

t.test('the gas of a call is capped by the configuration', async (t) => {
  const { ask } = await open(t)
  for (const gas of [undefined, null, '0xffffffffffff', '0x1000000000000'])
    for (const more of [{}, { gasLimit: '0xffffffffffff' }]) {
      const { result } = await ask('eth_call', [{ data: GAS_LEFT, gas, ...more }, 'latest'])
      const left = Number(result)
      t.ok(left > GAS_CAP - 100_000 && left < GAS_CAP, `${gas} ${left}`)
    }
  const { result } = await ask('eth_call', [{ data: GAS_LEFT, gas: '0x30d40' }, 'latest'])
  t.ok(Number(result) < 200_000, 'less is left as it is')
})

for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList'])
  t.test(`${method} of endless code ends, and the node continues to work`, async (t) => {
    const { ask } = await open(t, { RPC_PROXY_TIMEOUT_MS: '60000' })
    const { error } = await ask(method, [{ data: LOOP, gas: '0x1000000000000' }])
    t.match(error?.message, /gas/i)
    t.match(await ask('eth_chainId', []), { result: '0x7a69' })
  })

t.test('state and block overrides are rejected unless enabled, and bounded if enabled', async (t) => {
  const [closed, opened] = [await open(t), await open(t, { RPC_PROXY_OVERRIDES: 'on' })]
  const to = `0x${'ab'.repeat(20)}`
  const state = { [to]: { code: GAS_LEFT } }
  for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList'])
    for (const more of [[state], [null, { number: '0x1' }], [{}, { gasLimit: '0xffffffffffff' }], ['0x00']])
      t.match(await closed.ask(method, [{ to }, 'latest', ...more]), { error: { code: -32602 } })
  t.equal((await closed.ask('eth_call', [{ to }, 'latest', {}, null])).result, '0x', 'none are none')
  const left = Number((await opened.ask('eth_call', [{ to, gas: '0xffffffffffff' }, 'latest', state])).result)
  t.ok(left > 0 && left < GAS_CAP, `${left}`)
})

t.test('a misspelled field, which some nodes accept, is rejected', async (t) => {
  const { ask } = await open(t)
  for (const name of ['Gas', 'GAS', 'ga\u017f', 'gaslimit', 'GasLimit', 'DATA', 'accesslist', 'ga s', ''])
    t.match(await ask('eth_call', [{ data: '0x00', [name]: '0xffffffffffff' }]), { error: { code: -32602 } }, name)
  for (const name of ['FromBlock', 'TOBLOCK', 'toBloc\u212a', 'blockhash', 'limit'])
    t.match(
      await ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x1', [name]: '0x0' }]),
      { error: { code: -32602, message: `The filter has a field that is not known: ${name}` } },
      name,
    )
  for (const call of [undefined, null, '0x', [], 5]) t.match(await ask('eth_call', [call]), { error: { code: -32602 } })
  for (const gas of ['1', 'ff', '0x', 5, {}, '-0x1', `0x${'f'.repeat(65)}`])
    t.match(await ask('eth_call', [{ gas }]), { error: { code: -32602 } })
})

t.test('expensive lists and ranges are bounded', async (t) => {
  const { ask } = await open(t)
  const word = `0x${'00'.repeat(31)}01`
  const address = `0x${'ab'.repeat(20)}`
  const many = (count: number, value: unknown) => Array(count).fill(value)
  const tooMuch: [string, unknown[]][] = [
    ['eth_call', [{ to: address, accessList: [{ address, storageKeys: many(1_000, '0x1') }] }]],
    ['eth_call', [{ to: address, authorizationList: many(17, {}) }]],
    ['eth_getProof', [address, many(257, '0x1'), 'latest']],
    ['eth_feeHistory', ['0x401', 'latest', []]],
    ['eth_feeHistory', [2_000, 'latest', []]],
    ['eth_feeHistory', ['0x4', 'latest', many(17, 5)]],
    ['eth_getLogs', [{ address: many(1_001, address) }]],
    ['eth_getLogs', [{ topics: [null, many(1_001, word)] }]],
    ['eth_getLogs', [{ topics: many(5, null) }]],
    ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x2710' }]],
  ]
  for (const [method, params] of tooMuch)
    t.match(await ask(method, params), { error: { code: -32005 } }, `${method} ${JSON.stringify(params).slice(0, 60)}`)
  const bad = [{ blockHash: 'x' }, { blockHash: '' }, { blockHash: word, fromBlock: '0x0' }]
  for (const filter of bad)
    t.match(await ask('eth_getLogs', [filter]), { error: { code: -32602 } }, JSON.stringify(filter))
  const good: [string, unknown[]][] = [
    ['eth_call', [{ to: address, accessList: [{ address, storageKeys: [word] }] }, 'latest']],
    ['eth_feeHistory', ['0x1', 'latest', [25, 75]]],
    ['eth_getProof', [address, [word], 'latest']],
    ['eth_getLogs', [{ address: [address], topics: [[word], null] }]],
  ]
  for (const [method, params] of good) t.ok('result' in (await ask(method, params)), method)
})

t.test('a range relative to an invalid head is rejected', async (t) => {
  const node = await startThirdParty(t, (response, request) =>
    answer({ jsonrpc: '2.0', id: JSON.parse(request.body).id, result: 'soon' })(response, request),
  )
  const { ask } = await open(t, { RPC_URL: node.url })
  t.match(await ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'finalized' }]), { error: { code: -32005 } })
})

t.test('the quota counts calls by cost, and a batch by its calls', async (t) => {
  const { post } = await open(t, { RATE_LIMITS: 'on', RATE_LIMIT_GLOBAL: '100/60' })
  const call = (method: string, params: unknown[] = []) => ({ jsonrpc: '2.0', id: 1, method, params })
  let used = 0
  const expect = async (body: object, cost: number) => {
    const { status, headers } = await post(body)
    used += cost
    t.same([status, Number(headers['ratelimit-remaining'])], [200, 100 - used], JSON.stringify(body).slice(0, 80))
  }
  await expect(call('eth_chainId'), 1)
  await expect(call('eth_call', [{ to: `0x${'ab'.repeat(20)}` }]), 2)
  await expect(call('eth_getLogs', [{}]), 10)
  await expect([call('eth_chainId'), call('no_such'), 7, call('eth_estimateGas', [{ data: '0x00' }])], 13)
  await expect([], 1)
  await expect(Array(50).fill(call('eth_chainId')), 50)
  const refused = await post(Array(3).fill(call('eth_getLogs', [{}])))
  t.same([refused.status, refused.body.error.code], [429, -32005])
  t.ok(Number(refused.headers['retry-after']) > 0)
  used += 1
  await expect(call('eth_chainId'), 1)
})

t.test('a batch is accepted if it fits into the rest of the quota', async (t) => {
  const { post } = await open(t, { RATE_LIMITS: 'on', RATE_LIMIT_GLOBAL: '10/60' })
  const batch = (calls: number) => post(Array(calls).fill({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }))
  const outcomes = []
  // The request itself counts as its first call.
  for (const calls of [4, 7, 5, 1]) {
    const { status, headers } = await batch(calls)
    outcomes.push([calls, status, Number(headers['ratelimit-remaining'])])
  }
  t.same(outcomes, [
    [4, 200, 6],
    [7, 429, 5],
    [5, 200, 0],
    [1, 429, 0],
  ])
})

t.test('a call above the whole quota consumes all of it', async (t) => {
  const { post } = await open(t, { RATE_LIMITS: 'on', RATE_LIMIT_GLOBAL: '100/60' })
  const logs = Array(50).fill({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [{}] })
  const first = await post(logs)
  t.same([first.status, first.headers['ratelimit-remaining']], [200, '0'])
  t.equal((await post(logs)).status, 429)
})
