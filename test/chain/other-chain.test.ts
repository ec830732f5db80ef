import t, { type Test } from 'tap'
import type { Address } from 'viem'
import { parseEther } from 'viem'
import { Chain } from '../../chain/rpc/client.ts'
import { isNodeFailure } from '../../chain/rpc/node-failure.ts'
import { watchHeads } from '../../chain/rpc/watch-heads.ts'
import { readChainIdentity } from '../../db/chain-identity.ts'
import { startAnvil } from '../../dev/anvil.ts'
import { syncTransaction } from '../../indexer/engine/sync.ts'
import { indexToHead } from '../indexer/fixtures/indexing.ts'
import { makeActions } from '../support/actors.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { GENESIS_TIME, Node, startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { startHostileNode } from '../support/hostile/node.ts'

t.setTimeout(400_000)

const test = await startChain(t)
const act = makeActions(test.deployed)
const [, ann] = test.accounts as [Address, Address]
const [launch] = await test.node.run(act.launch(ann, 'ONE', parseEther('0.1')))
for (let left = 3; left > 0; left--) await test.node.mine()

/** Of another chain id; of the same one but another genesis; of the same genesis but other blocks. */
const start = async (t: Test, options: Parameters<typeof startAnvil>[0]) => {
  const anvil = await startAnvil({ balance: 1_000_000, ...options })
  t.teardown(() => anvil.stop())
  await new Node(anvil.url).call('anvil_mine', '0x20')
  return anvil.url
}
const chainId = Number(await test.node.call('eth_chainId'))
const others: [string, RegExp, (t: Test) => Promise<string>][] = [
  ['another chain id', /is on chain 5, and CHAIN_ID is/, (t) => start(t, { extraArgs: ['--chain-id', '5'] })],
  ['another genesis', /its genesis is 0x/, (t) => start(t, { timestamp: GENESIS_TIME + 7 })],
  [
    'other blocks after the same genesis',
    /its block \d+ is 0x\w+, and the indexed one/,
    (t) => start(t, { timestamp: GENESIS_TIME, extraArgs: ['--gas-limit', '1000000000'] }),
  ],
]

for (const [what, reason, open] of others) {
  t.test(`a node of ${what} counts as unreachable, first and last in RPC_URL`, async (t) => {
    const { db } = await createTestDatabase(t)
    await indexToHead(db, { ...test, config: { ...test.config, finality: { unit: 'blocks', amount: 1 } } })
    const [other, good] = [await open(t), await startHostileNode(t, test.anvil.url)]
    const wrong: [number, string][] = []
    const connect = async (...urls: string[]) =>
      new Chain(urls, {
        retries: 0,
        identity: await readChainIdentity(db, chainId),
        onWrong: (node, reason) => wrong.push([node, reason]),
      })
    const first = await connect(other, good.url)
    t.equal((await first.getHeaderByHash(launch!.blockHash))?.hash, launch!.blockHash)
    t.match(wrong, [[0, reason]])
    t.equal((await first.getHeader('latest'))?.number, await test.node.height(), 'it is asked no more')

    const chain = await connect(good.url, other)
    const config = testConfig({ RPC_URL: `${good.url},${other}/v2/secret-key-of-the-node`, CHAIN_ID: String(chainId) })
    const { app } = await createTestApp({ config, services: { db, chain } })
    t.teardown(() => app.close())
    const call = () =>
      app.inject({
        method: 'POST',
        url: '/rpc',
        payload: { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['latest', false] },
      })
    t.ok((await call()).json().result)
    await good.close()

    t.ok(isNodeFailure(await chain.getHeader('latest').catch((error: unknown) => error)))
    t.match((await call()).json(), { error: { code: -32603 } }, 'the RPC proxy')
    const health = await app.inject('/health')
    t.equal(health.statusCode, 503)
    t.match(health.json().error, reason)
    t.match(health.json().error, /rpc \(.*node 2 of RPC_URL is not used/)
    t.notMatch(health.body, /secret|127\.0\.0\.1/)
    const services = { db, chain, getContracts: async () => test.contracts }
    const request = { txHash: launch!.transactionHash, wallet: ann, kind: 'create' } as const
    const refusal = await syncTransaction(services, request).catch((error: unknown) => error)
    t.match(refusal, { reason: 'NODE_UNAVAILABLE' }, 'a sync')
  })
}

t.test('the chain of a node is checked again after an outage', async (t) => {
  const { db } = await createTestDatabase(t)
  await indexToHead(db, test)
  const other = await start(t, { extraArgs: ['--chain-id', '5'] })
  let target = test.anvil.url
  const gate = await startHostileNode(t, test.anvil.url)
  gate.follow(async ({ method, params }) => {
    if (target === '') throw new Error('down')
    return { result: await new Node(target).call(method, ...params) }
  })
  const chain = new Chain([gate.url], { retries: 0, identity: await readChainIdentity(db, chainId) })
  t.ok(await chain.getHeader('latest'))
  target = ''
  await t.rejects(chain.getHeader('latest'), { name: 'HttpRequestError' })
  target = other
  await t.rejects(chain.getHeader('latest'), /is on chain 5/)
})

t.test('heads of another chain are not subscribed to', async (t) => {
  const { db } = await createTestDatabase(t)
  const other = await start(t, { extraArgs: ['--chain-id', '5'] })
  const chain = new Chain([test.anvil.url], { identity: await readChainIdentity(db, chainId) })
  const { identities } = chain.nodes
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  const [told, rung] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
  const fail = () => t.fail('a head of another chain')
  watchHeads(other.replace('http', 'ws'), fail, stopping.signal, { identities, onWrong: told.resolve })
  watchHeads(test.anvil.url.replace('http', 'ws'), rung.resolve, stopping.signal, { identities, onWrong: t.fail })
  t.match(await told.promise, /is on chain 5/)
  await rung.promise
  t.pass('those of the chain are')
})
