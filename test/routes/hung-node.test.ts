import { type AddressInfo, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { type Address, parseEther, serializeErc6492Signature } from 'viem'
import { Chain } from '../../chain/rpc/client.ts'
import { DEFAULT_TIMEOUT_MS } from '../../sdk/src/client.ts'
import { createClient, syncBuy } from '../../sdk/src/index.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { createChainApp } from '../support/chain-app.ts'
import { headersOf } from '../support/client.ts'
import { answer, startThirdParty } from '../support/third-party.ts'

t.setTimeout(400_000)

const BUDGET_MS = 1_000
/** Far above the budget, and far below what retries would take without one. */
const SOON_MS = 8_000

const test = await createChainApp(t)
const { node, anvil, db, deployed, environment, contracts } = test
const [, ann, bob] = test.accounts as [Address, Address, Address]
const act = makeActions(deployed)
const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
const [buy] = await node.run(act.buy(bob, launchedToken(launch!), parseEther('0.2')))
const txHash = buy!.transactionHash

/** Takes every connection, and never says a word. */
async function startHung(t: Test): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function open(t: Test, urls: string[]) {
  const config = testConfig({ ...environment, RPC_URL: urls.join(), RPC_PROXY_TIMEOUT_MS: String(BUDGET_MS) })
  const chain = new Chain(urls, { budgetMs: BUDGET_MS })
  const { app } = await createTestApp({ config, services: { db, chain, getContracts: async () => contracts } })
  t.teardown(() => app.close())
  const timed = async (method: 'GET' | 'POST', url: string, payload?: object, wallet?: string) => {
    const start = performance.now()
    const headers = headersOf(app, wallet)
    const response = await app.inject({ method, url, headers, ...(payload && { payload }) })
    const { statusCode: status } = response
    return { status, body: response.json(), headers: response.headers, took: performance.now() - start }
  }
  /** Signs in as an account that is no key's, so that the node has to be asked. */
  const login = async () => {
    const { body } = await timed('POST', '/auth/nonce', { wallet: bob })
    const { message } = body.data
    const signature = serializeErc6492Signature({ address: ann, data: '0x', signature: '0x1234' })
    return timed('POST', '/auth/login', { wallet: bob, message, signature })
  }
  return { app, timed, login }
}

const unreachable = { success: false, data: null, error: 'The chain node is unreachable' }
const readClaims = () => db.selectFrom('claims').selectAll().execute()

t.test('with a hanging node every route responds in time, and nothing is written', async (t) => {
  const { timed, login } = await open(t, [await startHung(t)])
  for (const asked of [() => timed('POST', '/buy', { txHash }, bob), login]) {
    const { status, body, headers, took } = await asked()
    t.same([status, body], [503, unreachable])
    t.ok(headers['retry-after'])
    t.ok(took < SOON_MS, `${took}`)
  }
  const health = await timed('GET', '/health')
  t.equal(health.status, 503)
  t.match(health.body.error, /rpc/)
  t.ok(health.took < SOON_MS)
  const calls = Array.from({ length: 50 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_getCode',
    params: [`0x${id}`],
  }))
  const proxied = await timed('POST', '/rpc', calls)
  t.equal(proxied.body.length, calls.length)
  t.ok(proxied.body.every(({ error }: { error: { code: number } }) => error.code === -32603))
  t.ok(proxied.took < SOON_MS, `${proxied.took}`)
  t.same(await readClaims(), [])
})

t.test('with one hanging and one working node every route succeeds in time', async (t) => {
  const { timed, login } = await open(t, [await startHung(t), anvil.url])
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
  t.match((await timed('POST', '/rpc', call)).body, { result: '0x7a69' })
  t.equal((await login()).status, 401, 'the signature was checked')
  const synced = await timed('POST', '/buy', { txHash }, bob)
  t.equal(synced.status, 200)
  t.ok(synced.took < SOON_MS)
  await db.deleteFrom('claims').execute()
})

t.test('the SDK waits longer than the service waits for a hanging node', async (t) => {
  const { app } = await open(t, [await startHung(t)])
  const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' })
  const client = createClient({ baseUrl, token: app.issueToken(bob) })
  await t.rejects(syncBuy(client, { body: { txHash } }), {
    name: 'SlipwayError',
    status: 503,
    message: unreachable.error,
  })
  const { nodeBudgetMs, rpcProxy } = testConfig()
  t.ok(DEFAULT_TIMEOUT_MS >= 2 * Math.max(nodeBudgetMs, rpcProxy.timeoutMs), 'by its defaults, too')
})

t.test('errors of the node are 503 with Retry-After, and nothing is written', async (t) => {
  const error = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } })
  const bad = await startThirdParty(t, answer({}))
  const { timed, login } = await open(t, [bad.url])
  for (const given of [
    answer(error(-32005, 'query limit exceeded')),
    answer(error(-32603, 'Internal error')),
    answer(error(-32000, 'header not found')),
    answer(error(429, 'Too many requests'), 429, { 'retry-after': '120' }),
    answer('<html>maintenance</html>'),
  ]) {
    bad.act(given)
    for (const asked of [() => timed('POST', '/buy', { txHash }, bob), login]) {
      const { status, body, headers, took } = await asked()
      t.same([status, body], [503, unreachable])
      t.ok(headers['retry-after'])
      t.ok(took < SOON_MS)
    }
  }
  t.same(await readClaims(), [])
})
