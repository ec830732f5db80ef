import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { Chain } from '../../chain/rpc/client.ts'
import { syncTransaction } from '../../indexer/engine/sync.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { failure, on, type Rule, result, startHostileNode } from '../support/hostile/node.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

const test = await startChain(t)
const { node, accounts, contracts } = test
const [, ann, bob, eve] = accounts as [Address, Address, Address, Address]
const act = makeActions(test.deployed)
await playMarket(test)
const hostile = await startHostileNode(t, test.anvil.url)
t.afterEach(() => hostile.follow())

const connect = (options = {}) => new Chain([hostile.url], { retries: 0, ...options })
/** test.config with so many blocks of finality. */
const configure = (amount: number) => ({ ...test.config, finality: { unit: 'blocks', amount } as const })

/** Indexes through the hostile node, in ranges or (with as many blocks of finality) block by block, and compares with an honest one. */
async function compare(t: Test, finality: number, chain = connect()) {
  const [honest, lied] = [await createTestDatabase(t), await createTestDatabase(t)]
  const config = configure(finality)
  await indexToHead(honest.db, { ...test, config })
  const index = (): Promise<void> => indexToHead(lied.db, { ...test, chain, config }).catch(index)
  await index()
  t.strictSame(diffTables(await readTables(lied.db), await readTables(honest.db)), [])
}

type Placed = { logIndex: string; transactionHash: string }

t.test(
  'receipts whose logs have a wrong index or transaction are rejected, although they hash to the receipts root',
  async (t) => {
    const reasons: string[] = []
    const lies = { left: 6 }
    const chain = connect({ onContradiction: (_node: number, reason: string) => reasons.push(reason) })
    t.ok(await chain.trustsBlooms())
    hostile.follow(
      on('eth_getBlockReceipts', async (call, ask) => {
        const honest = await ask(call)
        const receipts = 'result' in honest ? (honest.result as { transactionHash: string; logs: Placed[] }[]) : []
        const emitting = receipts.filter(({ logs }) => logs.length > 0)
        if (emitting.length < 2 || lies.left-- <= 0) return honest
        // Either each transaction numbers its logs from 0, or all logs name the first transaction.
        const place = (log: Placed, index: number) =>
          lies.left % 2
            ? { ...log, logIndex: `0x${index.toString(16)}` }
            : { ...log, transactionHash: emitting[0]!.transactionHash }
        return result(receipts.map((receipt) => ({ ...receipt, logs: receipt.logs.map(place) })))
      }),
    )
    await compare(t, 1_000, chain)
    t.ok(lies.left <= 0)
    t.equal(reasons.length, 6)
    for (const reason of reasons) t.match(reason, /not numbered in the order/)
  },
)

t.test('a duplicate log in the response for a range or a block counts once', async (t) => {
  const repeat: (lies: { left: number }) => Rule = (lies) => async (call, ask) => {
    const honest = await ask(call)
    const logs = 'result' in honest ? (honest.result as unknown[]) : []
    return logs.length > 0 && lies.left-- > 0 ? result([...logs, logs.at(-1)]) : honest
  }
  const ofRange = { left: 2 }
  hostile.follow(on('eth_getLogs', repeat(ofRange)))
  await compare(t, 2)
  t.ok(ofRange.left <= 0)
  const ofBlock = { left: 4 }
  hostile.follow(
    on('eth_getBlockReceipts', () => failure(-32_601, 'The method eth_getBlockReceipts does not exist')),
    on('eth_getLogs', (call, ...rest) =>
      'blockHash' in (call.params[0] as object) ? repeat(ofBlock)(call, ...rest) : undefined,
    ),
  )
  await compare(t, 1_000)
  t.ok(ofBlock.left <= 0)
})

/** Hex strings of an answer as another client might write them. */
function rewriteHex(value: unknown, rewrite: (hex: string) => string): unknown {
  if (typeof value === 'string') return /^0x/.test(value) ? rewrite(value) : value
  if (Array.isArray(value)) return value.map((one) => rewriteHex(one, rewrite))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rewriteHex(one, rewrite)]))
}
const isQuantity = (hex: string) => hex.length < 20 && hex.length > 2
const spellings: Record<string, (hex: string) => string> = {
  'upper-case digits': (hex) => `0x${hex.slice(2).toUpperCase()}`,
  'the prefix 0X, and quantities with leading zeros,': (hex) =>
    isQuantity(hex) ? `0X${hex.slice(2).padStart(20, '0')}` : hex.toUpperCase(),
}
for (const [name, rewrite] of Object.entries(spellings)) {
  t.test(`${name} in the responses of a node change nothing`, async (t) => {
    const [bought] = await node.run(act.launch(ann, 'CASE', parseEther('0.1')))
    await node.mine()
    const methods = ['eth_getLogs', 'eth_getBlockReceipts', 'eth_getTransactionReceipt']
    hostile.follow(async (call, ask) => {
      if (!methods.includes(call.method) && !call.method.startsWith('eth_getBlockBy')) return undefined
      const honest = await ask(call)
      return 'result' in honest ? result(rewriteHex(honest.result, rewrite)) : honest
    })
    // In ranges, and block by block.
    await compare(t, 2)
    await compare(t, 1_000)
    const { db } = await createTestDatabase(t)
    const services = { db, chain: connect(), getContracts: async () => contracts }
    await indexToHead(db, { ...test, chain: services.chain })
    await syncTransaction(services, { txHash: bought!.transactionHash, wallet: ann, kind: 'create' })
  })
}

t.test('a sync reads at most eight headers, however many blocks are not final', async (t) => {
  const [launch] = await node.run(act.launch(ann, 'FEW'))
  const [bought] = await node.run(act.buy(bob, launchedToken(launch!), parseEther('0.1')))
  for (let left = 30; left > 0; left--) await node.mine()
  const { db } = await createTestDatabase(t)
  await indexToHead(db, { ...test, config: configure(1_000) })
  const services = { db, chain: connect(), getContracts: async () => contracts }
  const count = async (wallet: string) => {
    const before = hostile.calls.get('eth_getBlockByNumber') ?? 0
    const outcome = await syncTransaction(services, { txHash: bought!.transactionHash, wallet, kind: 'buy' }).then(
      () => 'ok',
      (error: { reason?: string }) => error.reason,
    )
    const headers = (hostile.calls.get('eth_getBlockByNumber') ?? 0) - before
    t.ok(headers > 0 && headers <= 8, `${outcome}: ${headers} headers`)
    return outcome
  }
  t.equal(await count(eve), 'TRANSACTION_FOREIGN')
  t.equal(await count(bob), 'ok')
})
