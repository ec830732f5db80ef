import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { audit } from '../../audit/audit.ts'
import { Chain } from '../../chain/rpc/client.ts'
import { isNodeFailure } from '../../chain/rpc/node-failure.ts'
import type { Db } from '../../db/client.ts'
import { connectContracts } from '../../indexer/contracts.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { Fetcher } from '../../indexer/engine/fetch.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import { syncTransaction } from '../../indexer/engine/sync.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { type Node, startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { failure, on, type RpcCall, type Rule, result, startHostileNode } from '../support/hostile/node.ts'
import { topics } from '../support/launchpads/topics.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { findPair, playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

/** One chain for all: a market, and empty blocks on top of it. What an honest node leads to is read once. */
const test = await startChain(t)
const { node, accounts, contracts } = test
const [owner, ann, bob, eve] = accounts as [Address, Address, Address, Address]
const act = makeActions(test.deployed)
const hostile = await startHostileNode(t, test.anvil.url)
t.afterEach(() => hostile.follow())

/** A node of its own for each test: chains remember what nodes can do. */
const connect = (options = {}) => new Chain([hostile.url], { retries: 0, ...options })

const blocks = (amount: number) => ({ unit: 'blocks', amount }) as const

/** The tables that an honest node leads to, by the head of the chain and the depth of finality. */
const honestTables = new Map<string, Awaited<ReturnType<typeof readTables>>>()
async function readHonest(t: Test, finalityDepth: number) {
  const key = `${await node.height()} ${finalityDepth}`
  const known = honestTables.get(key)
  if (known) return known
  const { db } = await createTestDatabase(t)
  await indexToHead(db, { ...test, config: { ...test.config, finality: blocks(finalityDepth) } })
  const tables = await readTables(db)
  honestTables.set(key, tables)
  return tables
}

/** Indexes through the hostile node, in ranges or (with as many blocks of finality) block by block, and compares with an honest one. */
async function compare(t: Test, finalityDepth: number, chain = connect()) {
  const honest = await readHonest(t, finalityDepth)
  const { db } = await createTestDatabase(t)
  const config = { ...test.config, finality: blocks(finalityDepth) }
  const index = (): Promise<void> => indexToHead(db, { ...test, chain, config }).catch(index)
  await index()
  t.strictSame(diffTables(await readTables(db), honest), [])
  return db
}

const mineEmpty = async (node: Node, count: number) => {
  for (let left = count; left > 0; left--) await node.mine()
}

/** Refuses ranges of more than so many blocks. */
const cap = (blocks: number): Rule =>
  on('eth_getLogs', ({ params: [filter] }) => {
    const { fromBlock, toBlock } = filter as { fromBlock?: string; toBlock?: string }
    const isWide = fromBlock !== undefined && Number(toBlock) - Number(fromBlock) >= blocks
    return isWide ? failure(-32_602, 'This is too much for me') : undefined
  })

t.test('a sync ahead of the indexer works with a node that rejects ranges of more than three blocks', async (t) => {
  const { db } = await createTestDatabase(t)
  await indexToHead(db, test)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  await mineEmpty(node, 12)
  const [buy] = await node.run(act.buy(bob, launchedToken(launch!), parseEther('0.2')))
  hostile.follow(cap(3))
  const services = { db, chain: connect(), getContracts: async () => contracts }
  const { positions } = await syncTransaction(services, { txHash: buy!.transactionHash, wallet: bob, kind: 'buy' })
  t.equal(positions.length, 1)
})

t.test('a sync stores the logs that the receipts root proves, and not those of a false receipt', async (t) => {
  const [launch] = await node.run(act.launch(ann, 'TWO', parseEther('0.1')))
  const [buy] = await node.run(act.buy(bob, launchedToken(launch!), parseEther('0.2')))
  /** A log of a trade less, as of a node that is wrong or was bribed. */
  const cut = (receipt: { logs: { address: string }[] }) => ({
    ...receipt,
    logs: receipt.logs.filter(({ address }) => address !== receipt.logs.at(-1)?.address),
  })
  const sync = async (db: Db, chain = connect()) => {
    const services = { db, chain, getContracts: async () => contracts }
    return syncTransaction(services, { txHash: buy!.transactionHash, wallet: bob, kind: 'buy' })
  }
  const start = async () => {
    const { db } = await createTestDatabase(t)
    await prepareChainState(db, test.chain, contracts, test.config)
    return db
  }
  const [honest, other, none] = [await start(), await start(), await start()]
  await sync(honest)
  hostile.follow(
    on('eth_getTransactionReceipt', async (call, ask) => {
      const answer = (await ask(call)) as { result: Parameters<typeof cut>[0] }
      return result(cut(answer.result))
    }),
  )
  await sync(other)
  t.strictSame(diffTables(await readTables(other), await readTables(honest)), [], 'of the receipt alone')

  let contradictions = 0
  const chain = connect({ onContradiction: () => contradictions++ })
  await chain.trustsBlooms()
  hostile.follow(
    on('eth_getBlockReceipts', async (call, ask) => {
      const answer = (await ask(call)) as { result: Parameters<typeof cut>[0][] }
      return result(answer.result.map(cut))
    }),
  )
  const refusal = await sync(none, chain).then(
    () => 'ok',
    (error: { reason?: string }) => error.reason,
  )
  t.equal(refusal, 'NODE_UNAVAILABLE', 'of the whole block')
  t.equal(contradictions, 1)
  const { count } = await none
    .selectFrom('readable_trades')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  t.equal(Number(count), 0, 'nothing was written')
})

t.test('a swap is synced from a node that lacks its pair at the head, or has pruned the state', async (t) => {
  const { graduated } = await playMarket(test)
  const [swap] = await node.run(act.swapBuy(bob, graduated, parseEther('0.1')))
  const isLatest = ({ params: [, at] }: RpcCall) => at === undefined || at === 'latest'
  const nodes: [string, Rule][] = [
    ['it lags behind', on('eth_call', (call) => (isLatest(call) ? result('0x') : undefined))],
    ['it has pruned', on('eth_call', (call) => (isLatest(call) ? undefined : failure(-32_000, 'missing trie node')))],
  ]
  for (const [name, rule] of nodes) {
    const { db } = await createTestDatabase(t)
    await prepareChainState(db, test.chain, contracts, test.config)
    hostile.follow(rule)
    const services = { db, chain: connect(), getContracts: async () => contracts }
    const { positions } = await syncTransaction(services, { txHash: swap!.transactionHash, wallet: bob, kind: 'buy' })
    t.equal(positions.length, 1, name)
  }
})

t.test('a node without block 0 is a node failure that is retried, and not another chain', async (t) => {
  const { db } = await createTestDatabase(t)
  hostile.follow(on('eth_getBlockByNumber', ({ params: [at] }) => (at === '0x0' ? result(null) : undefined)))
  const getContracts = connectContracts(db, connect(), test.config)
  t.ok(isNodeFailure(await getContracts().catch((error: unknown) => error)))
  hostile.follow()
  t.match(await getContracts(), { startBlock: contracts.startBlock })
})

t.test('backfills and audits work with a node that rejects wide ranges', async (t) => {
  await playMarket(test)
  await mineEmpty(node, 3)
  hostile.follow(cap(3))
  const db = await compare(t, 2)
  const found: string[] = []
  await audit({ db, chain: connect(), contracts, onDifference: (line) => found.push(line) })
  t.strictSame(found, [])
})

t.test('a range answered by a lagging node behind a load balancer is requested again', async (t) => {
  let lies = 0
  // Each request meets another node: now one at the head, now one that is far behind and answers [] without an error.
  const lagging: Rule = (call, _ask, together) => {
    if (!together.some(({ method }) => method === 'eth_getLogs') || lies >= 3) return undefined
    if (call.method !== 'eth_getLogs') return result(call.method === 'eth_blockNumber' ? '0x1' : null)
    lies += 1
    return result([])
  }
  hostile.follow(lagging)
  await compare(t, 2)
  t.equal(lies, 3)
})

t.test('a node without batch support is sent the requests for a range and its end one by one', async (t) => {
  hostile.follow((_call, _ask, together) => {
    const isBatch = together.some(({ method }) => method === 'eth_getLogs') && together.length > 1
    return isBatch ? failure(-32_600, 'Batches are not supported') : undefined
  })
  await compare(t, 2)
})

t.test('a node that was too busy for a batch is sent batches again', async (t) => {
  const asksForRange = (together: readonly RpcCall[]) =>
    together.some(({ method, params: [filter] }) => method === 'eth_getLogs' && 'toBlock' in (filter as object))
  for (const error of [failure(-32_005, 'Request limit exceeded'), failure(429, 'Too many requests')]) {
    let refused = 0
    let single = 0
    hostile.follow((_call, _ask, together) => {
      if (!asksForRange(together)) return undefined
      // One logs request alone may meet a node that lags, and answers [] without an error.
      if (together.length === 1) single += 1
      if (together.length === 1 || refused === 3) return undefined
      refused += 1
      return error
    })
    await compare(t, 2)
    t.equal(refused, 3)
    t.equal(single, 0)
  }
})

t.test('price calls that meet a rate limit or an internal error are retried, and no USD value is lost', async (t) => {
  const answers = [failure(-32_005, 'Request limit exceeded'), failure(-32_603, 'Internal error'), failure(429, 'Slow')]
  hostile.follow(on('eth_call', () => answers.pop()))
  const db = await compare(t, 2)
  t.same(answers, [])
  const unpriced = db.selectFrom('readable_trades').select('tx_hash').where('value_usd', 'is', null)
  t.strictSame(await unpriced.execute(), [])
})

/** Refuses calls at a height: the node has only the newest state. */
const pruned = (words: string): Rule =>
  on('eth_call', ({ params: [, at] }) => (at === 'latest' ? undefined : failure(-32_000, words)))

t.test('with a pruned node, the price is that of the last event of the feed', async (t) => {
  await node.run(act.setPrice(owner, 1_234_00000000n))
  await mineEmpty(node, 3)
  const [launch] = await node.run(act.launch(ann, 'OLD', parseEther('0.5')))
  await node.run(act.setPrice(owner, 999_00000000n))
  const later = { ...contracts, startBlock: Number(launch!.blockNumber) }
  for (const words of [
    'missing trie node 5f1c (path ) state 0x5f1c is not available',
    'BlockOutOfRangeError: block height is 90 but requested was 3',
  ]) {
    hostile.follow(pruned(words))
    const { db } = await createTestDatabase(t)
    await indexToHead(db, { ...test, chain: connect(), contracts: later })
    const prices = db.selectFrom('blocks').select('quote_usd').where('number', '=', later.startBlock)
    t.equal(Number((await prices.executeTakeFirst())?.quote_usd), 1_234, words)
  }
})

t.test('an unknown price is requested again for later blocks', async (t) => {
  const later = { ...contracts, startBlock: (await node.height()) + 1 }
  // The feed has no events either.
  const withoutAnswers: Rule = on('eth_getLogs', ({ params: [filter] }) => {
    const [[topic, ...others]] = (filter as { topics: [string[]] }).topics
    return topic === topics.answerUpdated && others.length === 0 ? result([]) : undefined
  })
  hostile.follow(pruned('missing trie node'), withoutAnswers)
  const { db } = await createTestDatabase(t)
  const chain = connect()
  await prepareChainState(db, chain, later, test.config)
  const follower = new Follower({ db, chain, contracts: later, finality: test.config.finality })
  const index = async () => {
    while ((await follower.step()) === 'again');
  }
  await node.run(act.launch(ann, 'TWO', parseEther('0.5')))
  await index()
  hostile.follow()
  await node.run(act.launch(ann, 'THREE', parseEther('0.5')))
  await index()
  const trades = await db.selectFrom('readable_trades').select('value_usd').orderBy('block_number').execute()
  t.match(trades, [{ value_usd: null }, { value_usd: /\d/ }])
})

const byHash = (rule: Rule): Rule =>
  on('eth_getLogs', (call, ...rest) => ('blockHash' in (call.params[0] as object) ? rule(call, ...rest) : undefined))
const dropLast = (logs: unknown) => (logs as unknown[]).slice(0, -1)

t.test('logs near the head are proven by receipts, so omitted and forged logs are detected', async (t) => {
  const reasons: string[] = []
  const lies = { left: 4 }
  const chain = connect({ onContradiction: (_node: number, reason: string) => reasons.push(reason) })
  t.ok(await chain.trustsBlooms())
  hostile.follow(
    byHash(() => result([])),
    on('eth_getBlockReceipts', async (call, ask) => {
      const honest = await ask(call)
      const receipts = 'result' in honest ? (honest.result as { logs: { data: string }[] }[]) : []
      const [last] = receipts.slice(-1)
      if (!last?.logs.length || lies.left-- <= 0) return honest
      // Left out, or forged: of another amount.
      const logs =
        lies.left % 2 ? dropLast(last.logs) : last.logs.map((log) => ({ ...log, data: `${log.data.slice(0, -1)}7` }))
      return result([...receipts.slice(0, -1), { ...last, logs }])
    }),
  )
  await compare(t, 1_000, chain)
  t.ok(lies.left <= 0)
  t.ok(reasons.length > 0)
  for (const reason of reasons) t.match(reason, /do not hash/)
})

t.test('without receipts, logs need two equal responses, and one for an unknown block does not count', async (t) => {
  let left = 3
  hostile.follow(
    on('eth_getBlockReceipts', () => failure(-32_601, 'The method eth_getBlockReceipts does not exist')),
    byHash(async (call, ask) => {
      const honest = await ask(call)
      const logs = 'result' in honest ? (honest.result as unknown[]) : []
      return logs.length > 0 && left-- > 0 ? result(dropLast(logs)) : honest
    }),
    on('eth_getBlockByHash', () => (left === 1 ? result(null) : undefined)),
  )
  await compare(t, 1_000)
  t.ok(left <= 0)
})

t.test('of two nodes, the one with contradictory responses is used last', async (t) => {
  hostile.follow(on('eth_getBlockReceipts', () => result([])))
  const blamed: number[] = []
  const onContradiction = (one: number) => void blamed.push(one)
  const chain = new Chain([hostile.url, test.anvil.url], { retries: 0, onContradiction })
  await compare(t, 1_000, chain)
  t.ok(blamed.length > 0 && blamed.every((one) => one === 0))
})

t.test('logs of a chain without blooms and receipts roots are indexed, and onTrust is called once', async (t) => {
  const bare: Rule = async (call, ask) => {
    if (!call.method.startsWith('eth_getBlockBy')) return undefined
    const honest = await ask(call)
    if (!('result' in honest) || honest.result === null) return honest
    return result({ ...honest.result, logsBloom: `0x${'00'.repeat(256)}`, receiptsRoot: `0x${'00'.repeat(32)}` })
  }
  hostile.follow(bare)
  const said: object[] = []
  await compare(t, 1_000, connect({ onTrust: (trust: object) => said.push(trust) }))
  t.strictSame(said, [{ blooms: false, receipts: false }])
})

t.test('a range without logs is rejected if the bloom of a block contradicts it', async (t) => {
  let lies = 1
  const reasons: string[] = []
  hostile.follow((call) => {
    const isRange = call.method === 'eth_getLogs' && !('blockHash' in (call.params[0] as object))
    return isRange && lies-- > 0 ? result([]) : undefined
  })
  const chain = connect({ onContradiction: (_node: number, reason: string) => reasons.push(reason) })
  // A range that ends with a block of ours, which is always looked at.
  const { db } = await createTestDatabase(t)
  const launched = Number((await node.run(act.launch(ann, 'END')))[0]!.blockNumber)
  const fetcher = await Fetcher.open(db, chain, contracts, launched - 10)
  const readRange = async () => fetcher.makeBlocks(await fetcher.requestRange({ from: launched - 9, to: launched }), [])
  await t.rejects(readRange(), /missing in its answer/)
  t.match(reasons, [/missing/])
  t.ok((await readRange()).at(-1)!.logs.length > 0)
})

t.test('logs of a pair before its graduation in a later range are not reported as missing', async (t) => {
  const { db } = await createTestDatabase(t)
  const reasons: string[] = []
  const chain = connect({ onContradiction: (_node: number, reason: string) => reasons.push(reason) })
  const [launch] = await node.run(act.launch(ann, 'LATER'))
  const token = launchedToken(launch!)
  await node.run(act.buy(bob, token, parseEther('100')))
  const pair = await findPair(node, act.createPair(eve, token))
  const [synced] = await node.run(act.sync(eve, pair))
  const [graduated] = await node.run(act.graduate(ann, token))
  const [from, middle, to] = [launch!, synced!, graduated!].map(({ blockNumber }) => Number(blockNumber)) as [
    number,
    number,
    number,
  ]
  const fetcher = await Fetcher.open(db, chain, contracts, from - 1)
  const first = await fetcher.requestRange({ from, to: middle })
  await fetcher.requestRange({ from: middle + 1, to })
  t.ok((await fetcher.makeBlocks(first, [])).length > 0)
  t.same(reasons, [])
})
