import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { type WebSocket, WebSocketServer } from 'ws'
import { Chain, type LogFilter } from '../../chain/rpc/client.ts'
import type { NodeLogs } from '../../chain/rpc/packed-responses.ts'
import type { Config } from '../../config/config.ts'
import { toBytes } from '../../db/hex.ts'
import { ChainMovedError } from '../../indexer/engine/errors.ts'
import { startIndexer } from '../../indexer/start.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'
import { waitUntil } from '../support/waits/wait-until.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

/** Passes requests on to a node, or, while it is down, breaks the connection. */
async function startGate(
  t: Test,
  target: string,
): Promise<{ url: string; setDown(down: boolean): void; requests(): number }> {
  let isDown = false
  let requests = 0
  const server: Server = createServer(async (request, response) => {
    requests += 1
    const body: Buffer[] = []
    for await (const chunk of request) body.push(chunk as Buffer)
    if (isDown) return request.socket.destroy()
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(body),
    })
    response.setHeader('content-type', 'application/json').end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, setDown: (down) => (isDown = down), requests: () => requests }
}

async function startFollowing(t: Test, config: Config, test: Awaited<ReturnType<typeof startChain>>, urls: string[]) {
  const database = await createTestDatabase(t)
  const chain = new Chain(urls, { timeoutMs: 2_000, retries: 0 })
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const indexer = startIndexer({ database, chain, config, log, getContracts: async () => test.contracts })
  t.teardown(() => indexer.stop())
  const countTrades = async () => (await database.db.selectFrom('readable_trades').select('log_index').execute()).length
  return { indexer, countTrades }
}

t.test('the second node is used while the first one is down', async (t) => {
  const test = await startChain(t)
  const act = makeActions(test.deployed)
  const { countTrades } = await startFollowing(t, test.config, test, ['http://127.0.0.1:1', test.anvil.url])
  await test.node.run(act.launch(test.accounts[1] as Address, 'ONE', parseEther('0.1')))
  await waitUntil('the trade is there', async () => (await countTrades()) === 1)
  t.pass('it is there')
})

t.test('indexing continues where it stopped after an outage of the node', async (t) => {
  const test = await startChain(t)
  const act = makeActions(test.deployed)
  const gate = await startGate(t, test.anvil.url)
  const { indexer, countTrades } = await startFollowing(t, test.config, test, [gate.url])
  const [, ann] = test.accounts as [Address, Address]
  await test.node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  await waitUntil('the first trade is there', async () => (await countTrades()) === 1)
  gate.setDown(true)
  await test.node.run(act.launch(ann, 'TWO', parseEther('0.1')))
  await waitUntil('the indexer has noticed', async () => indexer.status().failures >= 2)
  t.equal(await countTrades(), 1)
  gate.setDown(false)
  await waitUntil('the second trade is there', async () => (await countTrades()) === 2)
  await waitUntil('no failure is counted any more', async () => indexer.status().failures === 0)
})

const skip = serverUrl === null && 'PGlite belongs to one process'
t.test('on PostgreSQL, one of several indexers leads, and another takes over when it stops', { skip }, async (t) => {
  const test = await startChain(t)
  const database = await createTestDatabase(t)
  const lines: string[] = []
  const log = { info: (_: object, line: string) => void lines.push(line), warn: () => {}, error: () => {} }
  const services = { database, chain: test.chain, config: test.config, log, getContracts: async () => test.contracts }
  const first = startIndexer(services)
  t.teardown(() => first.stop())
  await waitUntil('the first one leads', async () => first.status().role === 'leading')
  const second = startIndexer(services)
  t.teardown(() => second.stop())
  await waitUntil('the second one stands by', async () => second.status().role === 'standby')
  t.equal(first.status().role, 'leading')
  await first.stop()
  await waitUntil('it takes over', async () => second.status().role === 'leading')
  t.equal(lines.filter((line) => line === 'Another indexer is active; standing by').length, 1, 'which it logs once')
  t.equal(first.status().role, 'stopped')
})

t.test('the indexer listens for new heads at RPC_SOCKET_URL while it leads', async (t) => {
  const test = await startChain(t)
  const node = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  t.teardown(() => node.close())
  await once(node, 'listening')
  const connected = once(node, 'connection') as Promise<[WebSocket]>
  const config = { ...test.config, rpcSocketUrl: `ws://127.0.0.1:${(node.address() as AddressInfo).port}` }
  const { indexer } = await startFollowing(t, config, test, [test.anvil.url])
  const [socket] = await connected
  t.match(JSON.parse(String((await once(socket, 'message'))[0])), { method: /^eth_/ })
  const closed = once(socket, 'close')
  await indexer.stop()
  await closed
})

t.test('after six steps in a row that meet a reorg, the indexer pauses between steps', async (t) => {
  const test = await startChain(t)
  const database = await createTestDatabase(t)
  const times: number[] = []
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const indexer = startIndexer({
    ...{ database, chain: test.chain, config: test.config, log, getContracts: async () => test.contracts },
    aroundStep: () => {
      times.push(performance.now())
      throw new ChainMovedError('The chain has moved')
    },
  })
  await waitUntil('the steps pause', async () => times.length >= 9)
  await indexer.stop()
  const pauses = times.slice(0, 9).map((time, index) => time - (times[index - 1] ?? time))
  // A timer may fire a little early.
  t.ok(
    pauses.slice(6).every((ms) => ms >= 240),
    'before the seventh and all that follow',
    { pauses },
  )
})

t.test('responses that arrive out of order lose no transfer', async (t) => {
  const test = await startChain(t)
  const { db } = await createTestDatabase(t)
  const act = makeActions(test.deployed)
  const [, ann, bob] = test.accounts as [Address, Address, Address]
  const [launch] = await test.node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  await test.node.run(act.transfer(ann, launchedToken(launch!), bob, 7n))
  const slow = new Chain([test.anvil.url])
  const readBlockLogs = slow.readBlockLogs.bind(slow)
  slow.readBlockLogs = async (header, topics) => {
    const found = await readBlockLogs(header, topics)
    // The block of the launch is answered last.
    if (header.hash === launch!.blockHash) await sleep(300)
    return found
  }
  await indexToHead(db, { ...test, chain: slow })
  const balance = await db
    .selectFrom('readable_balances')
    .select('balance')
    .where('wallet', '=', bob)
    .executeTakeFirst()
  t.equal(balance?.balance, '7')
})

t.test('a backfill whose logs are read in a worker stores the same rows, even if the worker crashes', async (t) => {
  const test = await startChain(t)
  await playMarket(test)
  const broken: Error[] = []
  class WorkerChain extends Chain {
    override getPackedLogs(filter: LogFilter): Promise<NodeLogs> {
      return super.getPackedLogs(filter, { inWorker: true })
    }
  }
  const inWorker = new WorkerChain([test.anvil.url], { onWorkerCrash: (error) => broken.push(error) })
  process.once('worker', (thread: Worker) => thread.once('online', () => void thread.terminate()))
  const tables = []
  for (const chain of [test.chain, inWorker]) {
    const { db } = await createTestDatabase(t)
    await indexToHead(db, { ...test, chain, config: { ...test.config, finality: { unit: 'blocks', amount: 1 } } })
    tables.push(await readTables(db))
  }
  t.strictSame(diffTables(tables[0]!, tables[1]!), [])
  t.equal(broken.length, 1)
})

t.test('a database of an older version of the indexing rules is rebuilt before indexing continues', async (t) => {
  const test = await startChain(t)
  await playMarket(test)
  const database = await createTestDatabase(t)
  await indexToHead(database.db, test)
  const before = await readTables(database.db)
  await database.db.updateTable('chain_state').set({ rules: 0 }).execute()
  await database.db
    .updateTable('trades')
    .set({ trader: toBytes(test.accounts[7]!), trader_known: false })
    .execute()
  const { chain, config, contracts } = test
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const indexer = startIndexer({ database, chain, config, log, getContracts: async () => contracts })
  t.teardown(() => indexer.stop())
  const isRebuilt = async () =>
    (await database.db.selectFrom('chain_state').select('rules').executeTakeFirstOrThrow()).rules > 0
  await waitUntil('it is rebuilt', isRebuilt)
  t.strictSame(diffTables(await readTables(database.db), before), [])
})
