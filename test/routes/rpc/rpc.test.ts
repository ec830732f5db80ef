import t from 'tap'
import { createWalletClient, keccak256, http as overHttp, parseEther } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { startAnvil } from '../../../dev/anvil.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { createConformityCheck } from '../../support/conformity.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'

const anvil = await startAnvil()
const config = testConfig({ RPC_URL: anvil.url, CHAIN_ID: '31337', RPC_PROXY_LOG_RANGE: '100' })
const { app } = await createTestApp({ config })
t.teardown(async () => {
  await app.close()
  await anvil.stop()
})
const check = createConformityCheck(app)

const json = { 'content-type': 'application/json' }
const send = async (payload: string, headers: Record<string, string> = json, url = '/rpc') => {
  const response = await app.inject({ method: 'POST', url, headers, payload })
  const { statusCode: status, body: text } = response
  if (text !== '') {
    const problem = check({ method: 'POST', url, status, body: JSON.parse(text) })
    if (problem !== null) throw new Error(problem)
  }
  return { status, text, headers: response.headers }
}
const call = async (body: unknown) => {
  const { status, text } = await send(JSON.stringify(body))
  if (status !== 200) throw new Error(`status ${status}`)
  return JSON.parse(text)
}
const ask = (method: string, params?: unknown, id: unknown = 1) =>
  call({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
const failure = (code: number, message: string, id: unknown = 1) => ({ jsonrpc: '2.0', id, error: { code, message } })

const account = mnemonicToAccount('test test test test test test test test test test test junk')
const sign = async (nonce: number) =>
  account.signTransaction({
    chainId: 31_337,
    type: 'eip1559',
    to: '0x00000000000000000000000000000000000000aa',
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 10n ** 9n,
    nonce,
  })

t.test('a call returns raw JSON-RPC, at both mounts', async (t) => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
  for (const url of ['/rpc', '/api/rpc']) {
    const { status, text, headers } = await send(body, json, url)
    t.equal(status, 200)
    t.equal(text, '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}')
    t.equal(headers['content-type'], 'application/json; charset=utf-8')
    t.equal(headers['cache-control'], 'no-store')
    t.ok(headers['x-request-id'])
  }
  t.match((await ask('web3_clientVersion')).result, /^anvil/)
  t.equal((await ask('net_version', [])).result, '31337')
  t.equal((await ask('eth_getBalance', [account.address, 'latest'])).result, '0x21e19e0c9bab2400000')
  t.equal((await ask('eth_getTransactionReceipt', [`0x${'1'.repeat(64)}`])).result, null, 'null is a result')
})

t.test('viem works with the proxy as with a node', async (t) => {
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const wallet = createWalletClient({ account, chain: foundry, transport: overHttp(`${address}/api/rpc`) })
  const hash = await wallet.sendTransaction({
    to: '0x00000000000000000000000000000000000000bb',
    value: parseEther('1'),
  })
  const findReceipt = async () => (await ask('eth_getTransactionReceipt', [hash])).result
  await waitUntil('the transaction is mined', async () => (await findReceipt()) !== null)
  t.match(await findReceipt(), { status: '0x1' })
  t.equal(
    (await ask('eth_getBalance', ['0x00000000000000000000000000000000000000bb', 'latest'])).result,
    '0xde0b6b3a7640000',
  )
})

t.test('ids are returned unchanged', async (t) => {
  for (const id of ['"1"', '""', '"é\\u0000"', '0', '-7', '1.50', '9007199254740993', '1e400', 'null']) {
    const { text } = await send(`{"jsonrpc":"2.0","method":"eth_chainId","id":${id}}`)
    const spelt = id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id
    t.equal(text, `{"jsonrpc":"2.0","id":${spelt},"result":"0x7a69"}`)
  }
  const { text } = await send('[{"jsonrpc":"2.0","id":12345678901234567890,"method":"no_such"}]')
  t.match(text, '"id":12345678901234567890,')
})

t.test('each call of a batch gets its own result or error', async (t) => {
  const answers = await call([
    { jsonrpc: '2.0', id: 'a', method: 'eth_chainId' },
    { jsonrpc: '2.0', id: 'b', method: 'admin_peers' },
    { jsonrpc: '2.0', method: 'eth_blockNumber' },
    { id: 'c', method: 'eth_chainId' },
    7,
    [],
    { jsonrpc: '2.0', id: 'a', method: 'net_version' },
  ])
  const byText = (a: unknown, b: unknown) => JSON.stringify(a).localeCompare(JSON.stringify(b))
  t.same(
    answers.sort(byText),
    [
      { jsonrpc: '2.0', id: 'a', result: '0x7a69' },
      failure(-32601, 'The method admin_peers is not available', 'b'),
      failure(-32600, 'jsonrpc must be "2.0"', 'c'),
      failure(-32600, 'A call must be an object', null),
      failure(-32600, 'A call must be an object', null),
      { jsonrpc: '2.0', id: 'a', result: '31337' },
    ].sort(byText),
  )
})

t.test('a batch has 1 to 50 calls', async (t) => {
  const calls = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' }))
  const answers = (await call(calls(50))) as { id: number; result: string }[]
  t.same(
    answers.map(({ id }) => id).sort((a, b) => a - b),
    calls(50).map(({ id }) => id),
  )
  t.ok(answers.every(({ result }) => result === '0x7a69'))
  t.same(await call(calls(51)), failure(-32005, 'A batch may hold at most 50 calls', null))
  t.same(await call([]), failure(-32600, 'A batch must hold at least one call', null))
})

t.test('notifications get no response, and a transaction in one is sent', async (t) => {
  const count = async () => Number((await ask('eth_getTransactionCount', [account.address, 'latest'])).result)
  const nonce = await count()
  const notify = { jsonrpc: '2.0', method: 'eth_sendRawTransaction', params: [await sign(nonce)] }
  for (const [body, sent] of [
    [{ jsonrpc: '2.0', method: 'eth_chainId' }, 0],
    [{ jsonrpc: '2.0', method: 'no_such' }, 0],
    [notify, 1],
    [[{ jsonrpc: '2.0', method: 'eth_chainId' }, notify], 1],
  ] as const) {
    const { status, text, headers } = await send(JSON.stringify(body))
    t.same([status, text, headers['content-type']], [204, '', undefined])
    // The node answers before it has mined what it took.
    if (sent > 0) await waitUntil('the transaction is mined', async () => (await count()) > nonce)
    t.equal(await count(), nonce + sent)
  }
})

t.test('a signed transaction is sent, and the node’s errors are passed on', async (t) => {
  const nonce = Number((await ask('eth_getTransactionCount', [account.address, 'latest'])).result)
  const raw = await sign(nonce)
  t.equal((await ask('eth_sendRawTransaction', [raw])).result, keccak256(raw))
  const isMined = async () => Boolean((await ask('eth_getTransactionReceipt', [keccak256(raw)])).result)
  await waitUntil('the transaction is mined', isMined)
  const again = await ask('eth_sendRawTransaction', [raw])
  t.match(again.error, { code: -32003, message: /nonce too low/ })
})

t.test('a revert returns the node’s code, message and data', async (t) => {
  // Code that reverts with four bytes: PUSH4 deadbeef, PUSH1 e0, SHL, PUSH1 0, MSTORE, PUSH1 4, PUSH1 0, REVERT.
  const data = '0x63deadbeef60e01b60005260046000fd'
  const { error } = await ask('eth_call', [{ data }, 'latest'])
  t.match(error, { code: 3, message: /revert/, data: '0xdeadbeef' })
})

for (const method of [
  'eth_newFilter',
  'eth_getFilterChanges',
  'eth_subscribe',
  'eth_accounts',
  'eth_sendTransaction',
  'eth_sign',
  'debug_traceTransaction',
  'admin_nodeInfo',
  'personal_unlockAccount',
  'anvil_setBalance',
  'evm_mine',
  'hardhat_reset',
  'txpool_content',
  'toString',
  '__proto__',
  '',
]) {
  t.test(`the method ${JSON.stringify(method)} is -32601`, async (t) => {
    t.same(await ask(method, []), failure(-32601, `The method ${method} is not available`))
  })
}

t.test('an invalid request is -32600', async (t) => {
  t.same(await call({ jsonrpc: '2.0', id: 1 }), failure(-32600, 'method must be a string'))
  t.same(await call({ jsonrpc: '2.0', id: 1, method: 5 }), failure(-32600, 'method must be a string'))
  t.same(await call({ id: 1, method: 'eth_chainId' }), failure(-32600, 'jsonrpc must be "2.0"'))
  t.same(await call({ jsonrpc: 2, method: 'eth_chainId' }), failure(-32600, 'jsonrpc must be "2.0"', null))
  for (const id of [true, {}, [1]])
    t.same(await ask('eth_chainId', [], id), failure(-32600, 'id must be a string, a number or null', null))
  for (const body of ['null', '1', '"eth_chainId"', 'true'])
    t.same(JSON.parse((await send(body)).text), failure(-32600, 'A call must be an object', null))
})

t.test('invalid JSON is -32700', async (t) => {
  const deep = '['.repeat(60_000)
  for (const body of ['', '{', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"', '[1,]', 'eth_chainId', deep]) {
    const { status, text } = await send(body)
    t.equal(status, 200)
    t.same(JSON.parse(text), failure(-32700, 'The body is not valid JSON', null))
  }
  const nested = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":${deep}${']'.repeat(60_000)}}`
  t.match(JSON.parse((await send(nested)).text), { error: { code: /^-32(700|603)$/ } }, 'nested beyond reason')
})

t.test('a duplicate key in any call is -32600', async (t) => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
  for (const [body, field] of [
    ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId","id":2}', 'body.id'],
    ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId","m\\u0065thod":"eth_call"}', 'body.method'],
    [`[${call},${call.replace('}', ',"params":[{"to":1,"to":2}]}')}]`, 'body.1.params.0.to'],
  ] as const) {
    const { status, text } = await send(body)
    t.equal(status, 200)
    t.same(JSON.parse(text), failure(-32600, `${field} must not be given twice`, null))
  }
})

t.test('other content types and encodings are -32600; those of JSON-RPC are accepted', async (t) => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
  for (const type of ['application/json-rpc', 'application/jsonrequest', 'APPLICATION/JSON;charset=utf-8'])
    t.match((await send(body, { 'content-type': type })).text, '0x7a69')
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json5', 'nonsense']) {
    const { status, text } = await send(body, { 'content-type': type })
    t.equal(status, 200)
    t.same(JSON.parse(text), failure(-32600, 'Unsupported content type; send application/json', null))
  }
  const { text } = await send(body, { ...json, 'content-encoding': 'gzip' })
  t.same(JSON.parse(text), failure(-32600, 'Unsupported content encoding; send the body uncompressed', null))
})

t.test('a body over 128 KB is -32005', async (t) => {
  const bodyOf = (length: number) => {
    const frame = '{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x"]}'
    return frame.replace('0x', `0x${'ab'.repeat((length - frame.length) / 2)}`)
  }
  const frameLength = '{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x"]}'.length
  const largest = bodyOf(128 * 1024 - ((128 * 1024 - frameLength) % 2))
  t.match(JSON.parse((await send(largest)).text), { result: /^0x/ })
  const { status, text } = await send(`${largest}  `)
  t.equal(status, 200)
  t.same(JSON.parse(text), failure(-32005, 'Request body is too large', null))
})

t.test('invalid parameters are -32602', async (t) => {
  const cases: [method: string, params: unknown, message: string][] = [
    ['eth_chainId', {}, 'params must be an array'],
    ['eth_chainId', 'latest', 'params must be an array'],
    ['eth_chainId', null, 'params must be an array'],
    ['eth_call', Array(9).fill(0), 'params may hold at most 8 values'],
    ...[[], ['0x'], ['0x1'], ['deadbeef'], [5], ['0x00', '0x00']].map((params): [string, unknown, string] => [
      'eth_sendRawTransaction',
      params,
      'params must be one signed transaction in 0x-prefixed hexadecimal',
    ]),
    ['eth_getLogs', [], 'params must be one filter object'],
    ['eth_getLogs', [[]], 'params must be one filter object'],
    ['eth_getLogs', [{ fromBlock: 5 }], 'fromBlock must be a block number in hexadecimal, or a tag'],
    ['eth_getLogs', [{ toBlock: 'newest' }], 'toBlock must be a block number in hexadecimal, or a tag'],
  ]
  for (const [method, params, message] of cases) t.same(await ask(method, params), failure(-32602, message))
  t.match((await ask('eth_getBalance', ['0x12'])).error, { code: -32602 }, 'the node checks the rest')
})

t.test('eth_getLogs is limited to the configured range, in any notation', async (t) => {
  const chain = async (method: string, params: unknown[]) =>
    fetch(anvil.url, { method: 'POST', headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })
  const hex = (number: number) => `0x${number.toString(16)}`
  await chain('anvil_mine', ['0x96'])
  const head = Number((await ask('eth_blockNumber')).result)
  const tooWide = failure(-32005, 'eth_getLogs may span at most 100 blocks')
  const good = [
    {},
    { fromBlock: 'latest', toBlock: 'pending' },
    { fromBlock: 'finalized' },
    { fromBlock: '0x0', toBlock: '0x63' },
    { fromBlock: hex(head - 99) },
    { fromBlock: hex(head - 99), toBlock: 'latest' },
    { fromBlock: hex(head - 50), toBlock: null },
    { fromBlock: 'earliest', toBlock: '0x5' },
    { blockHash: (await ask('eth_getBlockByNumber', ['0x1', false])).result.hash },
  ]
  for (const filter of good) t.same((await ask('eth_getLogs', [filter])).result, [], JSON.stringify(filter))
  const wide = [
    { fromBlock: '0x0', toBlock: '0x64' },
    { fromBlock: '0x0' },
    { fromBlock: 'earliest' },
    { fromBlock: hex(head - 100), toBlock: 'latest' },
    { fromBlock: 'earliest', toBlock: 'safe' },
    { fromBlock: '0x1', toBlock: '0xffffffffffffffff' },
  ]
  for (const filter of wide) t.same(await ask('eth_getLogs', [filter]), tooWide, JSON.stringify(filter))
})

t.test('other HTTP methods are 405 in the envelope', async (t) => {
  const { statusCode, headers } = await app.inject('/rpc')
  t.same([statusCode, headers.allow], [405, 'POST'])
})
