import t from 'tap'
import { type Address, type Hex, parseEther, serializeErc6492Signature } from 'viem'
import { Chain } from '../../chain/rpc/client.ts'
import { account } from '../acceptance/support/chain.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { signIn } from '../acceptance/support/sign-in.ts'
import { indexToHead } from '../indexer/fixtures/indexing.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { createChainApp } from '../support/chain-app.ts'
import { createClient, headersOf } from '../support/client.ts'
import { on, startHostileNode } from '../support/hostile/node.ts'
import { METHODS, type Method, type Shape, shapes } from '../support/hostile/shapes.ts'

/* What clients get while a node answers one method wrongly: see "Refusals" in docs/nodes.md. */

t.setTimeout(300_000)

const test = await createChainApp(t)
const { node, anvil, db, deployed, environment, contracts } = test
const [, ann, bob] = test.accounts as [Address, Address, Address]
const act = makeActions(deployed)
const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
await indexToHead(db, test)
const buy = async (): Promise<Hex> =>
  (await node.run(act.buy(bob, launchedToken(launch!), parseEther('0.001'))))[0]!.transactionHash
const hostile = await startHostileNode(t, anvil.url)

/** Of each kind; test/chain/wrong-shapes.test.ts has them all. */
const chosen = [
  'HTTP 403 with JSON that is no JSON-RPC',
  'an error whose code is a text',
  'a page of HTML with status 200',
  'another id',
  'an object as the result',
  'null as the result',
]

/** Statuses of a receipt sync by the methods that it needs; 200 unless given. */
const synced: Partial<Record<Method, Partial<Record<Shape['kind'], number>>>> = {
  eth_getLogs: {},
  eth_call: { refusal: 503, none: 503, null: 503 },
  // As of a transaction that is not mined.
  eth_getTransactionReceipt: { refusal: 503, none: 503, null: 425 },
  eth_getBlockByHash: { refusal: 503, none: 503, null: 425 },
  eth_getBlockByNumber: { refusal: 503, none: 503, null: 425 },
  // A refusal leads to another method, and what may be an outage does so after a minute.
  eth_getBlockReceipts: { none: 503, null: 503 },
}

for (const name of chosen) {
  const { kind, make } = shapes[name]!
  t.test(`a client gets a correct response or a documented error while a node answers with ${name}`, async (t) => {
    const config = testConfig({ ...environment, RPC_URL: hostile.url })
    const chain = new Chain([hostile.url], { retries: 0 })
    const { app } = await createTestApp({ config, services: { db, chain, getContracts: async () => contracts } })
    t.teardown(() => app.close())
    const ask = createClient(app)
    const post = <T>(url: string, payload: object, wallet?: string) =>
      ask<T>({ method: 'POST', url, payload, headers: headersOf(app, wallet) })
    for (const [method, statuses] of Object.entries(synced)) {
      const txHash = await buy()
      hostile.follow(on(method, make))
      const { status, body } = await post('/buy', { txHash }, bob)
      t.equal(status, statuses[kind] ?? 200, `a sync, ${method}`)
      if (status === 503) t.match(body.error, 'The chain node is unreachable')
      if (method !== 'eth_call') continue
      const { body: nonce } = await post<{ message: string }>('/auth/nonce', { wallet: bob })
      const signature = serializeErc6492Signature({ address: ann, data: '0x', signature: '0x1234' })
      const login = await post('/auth/login', { wallet: bob, message: nonce.data.message, signature })
      // An error is read whatever its id is: here that the signature is wrong.
      t.equal(login.status, /id$/.test(name) ? 401 : 503, 'a login of a contract')
    }
    hostile.follow(on('eth_gasPrice', make))
    const call = { jsonrpc: '2.0', id: 3, method: 'eth_gasPrice', params: [] }
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/rpc', payload: call })
    t.equal(statusCode, 200)
    const { error, ...reply } = JSON.parse(body)
    t.match(reply, { jsonrpc: '2.0', id: 3 })
    const code = { refusal: name.startsWith('HTTP') ? -32_603 : -32_601, none: -32_603, null: undefined }[kind]
    if (name !== 'an object as the result') t.equal(error?.code, code, 'the proxy passes an error on')
  })
}

t.test('the tables have every method that the service sends', async (t) => {
  hostile.follow()
  hostile.calls.clear()
  const service = await startService(t, { env: { ...environment, RPC_URL: hostile.url } })
  const isHealthy = async () => (await service.request('GET', '/health')).status === 200
  await until(isHealthy, Boolean, 'the service is healthy')
  // Refused: the logs of a block are read by another method.
  hostile.follow(on('eth_getBlockReceipts', shapes['an error that is a text']!.make))
  const token = await signIn(service, '', { wallet: bob, account: account(2) })
  const sync = (txHash: Hex) => service.request('POST', '/buy', { token, body: { txHash } })
  t.equal((await sync(await buy())).status, 200)
  t.equal((await sync(`0x${'ab'.repeat(32)}`)).status, 404, 'an unknown transaction')
  await node.reorg(1)
  await node.mine()
  await until(isHealthy, Boolean, 'the service has followed the reorg')
  t.strictSame([...hostile.calls.keys()].sort(), [...METHODS].sort())
})
