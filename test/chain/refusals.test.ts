import t, { type Test } from 'tap'
import { type Address, type Hex, numberToHex, parseEther } from 'viem'
import { Chain } from '../../chain/rpc/client.ts'
import { listTopics } from '../../indexer/engine/module.ts'
import { syncTransaction } from '../../indexer/engine/sync.ts'
import { modules } from '../../indexer/modules.ts'
import { indexToHead } from '../indexer/fixtures/indexing.ts'
import { playMarket } from '../indexer/fixtures/market.ts'
import { diffTables, readTables, type Tables } from '../indexer/fixtures/tables.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import {
  failure,
  on,
  type RawAnswer,
  type RpcAnswer,
  type Rule,
  raw,
  result,
  startHostileNode,
} from '../support/hostile/node.ts'

t.setTimeout(400_000)

const test = await startChain(t)
const { node, accounts, contracts } = test
const [, ann, bob] = accounts as [Address, Address, Address]
const act = makeActions(test.deployed)
await playMarket(test)
const [launch] = await node.run(act.launch(ann, 'LAST', parseEther('0.1')))
const [bought] = await node.run(act.buy(bob, launchedToken(launch!), parseEther('0.1')))
const hostile = await startHostileNode(t, test.anvil.url)
t.afterEach(() => hostile.follow())

const connect = () => new Chain([hostile.url], { retries: 0 })
const configure = (amount: number) => ({ ...test.config, finality: { unit: 'blocks', amount } as const })
const honest = new Map<number, Promise<Tables>>()
const readHonest = (t: Test, finality: number): Promise<Tables> => {
  const read = async () => {
    const { db } = await createTestDatabase(t)
    await indexToHead(db, { ...test, config: configure(finality) })
    return readTables(db)
  }
  const known = honest.get(finality) ?? read()
  honest.set(finality, known)
  return known
}

/** Indexes through the hostile node, in ranges or (with 1,000 blocks of finality) block by block, without any failure. */
async function compare(t: Test, name: string, finality: number) {
  const { db } = await createTestDatabase(t)
  await indexToHead(db, { ...test, chain: connect(), config: configure(finality) })
  t.strictSame(diffTables(await readTables(db), await readHonest(t, finality)), [], name)
  return db
}

/** How proxies and small clients say that they do not offer a method. */
const refusals: Record<string, RpcAnswer | RawAnswer> = {
  'a proper error': failure(-32_601, 'The method does not exist'),
  'HTTP 403 with JSON that is no JSON-RPC': raw(403, '{"message":"method not whitelisted"}'),
  'HTTP 405 with a page': raw(405, '<html>Not allowed</html>'),
  'an error that is a text': { error: 'not supported' },
  'a code that is a text': failure('-32601', 'The method does not exist'),
  'an error without a code': { error: { message: 'unsupported' } },
}

t.test('a method rejected in any form is not offered, and logs then need two equal responses', async (t) => {
  for (const [name, refusal] of Object.entries(refusals)) {
    hostile.follow(on('eth_getBlockReceipts', () => refusal))
    const before = hostile.calls.get('eth_getBlockReceipts') ?? 0
    const db = await compare(t, name, 1_000)
    t.ok((hostile.calls.get('eth_getBlockReceipts') ?? 0) - before <= 3, `${name}: it is not asked for every block`)
    if (name !== 'HTTP 403 with JSON that is no JSON-RPC') continue
    const services = { db, chain: connect(), getContracts: async () => contracts }
    const request = { txHash: bought!.transactionHash, wallet: bob, kind: 'buy' } as const
    t.equal((await syncTransaction(services, request)).positions.length, 1, `${name}: a sync`)
  }
})

t.test('a range that a node rejects in any form is split', async (t) => {
  const wide = (refusal: RpcAnswer | RawAnswer): Rule =>
    on('eth_getLogs', ({ params: [filter] }) => {
      const { fromBlock, toBlock } = filter as { fromBlock?: string; toBlock?: string }
      return fromBlock !== undefined && Number(toBlock) - Number(fromBlock) >= 3 ? refusal : undefined
    })
  const limits: Record<string, RpcAnswer | RawAnswer> = {
    'a code that is a text': failure('-32005', 'query returned more than 10000 results'),
    'HTTP 400 with a text': raw(400, 'range is too large'),
    'HTTP 403 with JSON that is no JSON-RPC': raw(403, '{"message":"range is too large"}'),
    'an error that is a text': { error: 'block range is too wide' },
  }
  for (const [name, refusal] of Object.entries(limits)) {
    hostile.follow(wide(refusal))
    await compare(t, name, 2)
    const logs = await connect().getLogs({ topics: [], range: { from: 0, to: await node.height() } })
    t.ok(logs.length > 0, `${name}: without records`)
  }
})

t.test('logs of blocks beside the range are refused', async (t) => {
  const number = Number(launch!.blockNumber)
  const filter = { topics: [...listTopics(modules).wanted] as Hex[], range: { from: number, to: number } }
  t.equal((await connect().getPackedLogs(filter)).blocks.length, 1)
  for (const moved of [-1, 1]) {
    hostile.follow(
      on('eth_getLogs', async (call, ask) => {
        const logs = ((await ask(call)) as { result: object[] }).result
        return result(logs.map((log) => ({ ...log, blockNumber: numberToHex(number + moved) })))
      }),
    )
    const message = new RegExp(`it answered logs of block ${number + moved}, which were not asked for`)
    await t.rejects(connect().getPackedLogs(filter), { message })
  }
})

t.test('null instead of a list of logs or topics is read as an empty list', async (t) => {
  const nullIfEmpty: Rule = async (call, ask) => {
    const answer = await ask(call)
    return 'result' in answer && (answer.result as unknown[]).length === 0 ? result(null) : answer
  }
  hostile.follow(on('eth_getLogs', nullIfEmpty))
  await compare(t, 'ranges', 2)
  hostile.follow(
    on('eth_getLogs', nullIfEmpty),
    on('eth_getBlockReceipts', () => refusals['a proper error']),
  )
  await compare(t, 'blocks', 1_000)
  const [from, to] = [0, 1]
  t.same((await connect().getPackedLogs({ topics: [], range: { from, to } })).blocks, [])
  // A node that lags answers null as well.
  hostile.follow(
    on('eth_getLogs', () => result(null)),
    on('eth_blockNumber', () => result('0x0')),
  )
  await t.rejects(connect().getPackedLogs({ topics: [], range: { from, to } }), /does not have block 1/)

  const log = {
    ...{ address: ann, data: '0x', blockNumber: '0x1', logIndex: '0x0', topics: null },
    ...{ blockHash: launch!.blockHash, transactionHash: launch!.transactionHash },
  }
  hostile.follow(on('eth_getLogs', () => result([log])))
  t.match(await connect().getLogs({ topics: [], range: { from, to } }), [{ topics: [] }])
  const { blocks } = await connect().getPackedLogs({ topics: [], range: { from, to } })
  t.match(blocks, [{ count: 1 }])
})
