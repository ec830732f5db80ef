import t from 'tap'
import { type Address, parseEther } from 'viem'
import { Chain } from '../../chain/rpc/client.ts'
import { isNodeFailure } from '../../chain/rpc/node-failure.ts'
import { listTopics } from '../../indexer/engine/module.ts'
import { modules } from '../../indexer/modules.ts'
import { makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { on, type Rule, startHostileNode } from '../support/hostile/node.ts'
import { METHODS, type Method, type Shape, shapes } from '../support/hostile/shapes.ts'

/* "Refusals" in docs/nodes.md, as a table: every method that the service sends, answered by every wrong shape. */

t.setTimeout(200_000)

const test = await startChain(t)
const { node, deployed } = test
const [, ann] = test.accounts as [Address, Address]
const [launch] = await node.run(makeActions(deployed).launch(ann, 'ONE', parseEther('0.1')))
await node.mine()
const hostile = await startHostileNode(t, test.anvil.url)
const honest = new Chain([test.anvil.url])
const header = (await honest.getHeader(Number(launch!.blockNumber)))!
const range = { from: 0, to: await node.height() }
const topics = [...listTopics(modules).wanted] as `0x${string}`[]

/** right: as if nothing were wrong. null and empty: no such thing. failure: of the node; the caller retries. */
type Outcome = 'right' | 'null' | 'empty' | 'failure'

interface Use {
  what: string
  methods: readonly Method[]
  run: (chain: Chain) => Promise<unknown>
  /** Other than a failure, of a single node, by the kind of the shape. */
  alone?: Partial<Record<Shape['kind'], Outcome>>
  /** Other than the right answer, of a wrong node before a right one. Null is an answer. */
  first?: Partial<Record<Shape['kind'], Outcome>>
  /** Further rules for the wrong node. */
  rules?: Rule[]
}

const refused = shapes['an error that is a text']!
const noReceipts = on('eth_getBlockReceipts', refused.make)
const byHash = { alone: { null: 'null' }, first: { null: 'null' } } as const

const uses: readonly Use[] = [
  { what: 'the chain id', methods: ['eth_chainId'], run: (chain) => chain.getChainId() },
  { what: 'a head', methods: ['eth_getBlockByNumber'], run: (chain) => chain.getHeader('latest') },
  { what: 'a height', methods: ['eth_getBlockByNumber'], run: (chain) => chain.getHeader(1), ...byHash },
  { what: 'a block', methods: ['eth_getBlockByHash'], run: (chain) => chain.getHeaderByHash(header.hash), ...byHash },
  {
    what: 'the state of a feed',
    methods: ['eth_call'],
    run: (chain) => chain.getFeedAnswer(deployed.priceFeed, range.to),
  },
  { what: 'code', methods: ['eth_getCode'], run: (chain) => chain.client.getCode({ address: deployed.weth }) },
  {
    what: 'a receipt',
    methods: ['eth_getTransactionReceipt'],
    run: (chain) => chain.getReceipt(launch!.transactionHash),
    ...byHash,
  },
  {
    what: 'a transaction',
    methods: ['eth_getTransactionByHash'],
    run: async (chain) => (await chain.hasTransaction(launch!.transactionHash)) || null,
    ...byHash,
  },
  {
    what: 'the logs of a range',
    methods: ['eth_getLogs'],
    run: (chain) => chain.getLogs({ topics, range }),
    alone: { null: 'empty' },
    first: { null: 'empty' },
  },
  ...[false, true].map((inWorker): Use => {
    return {
      what: `the packed logs of a range, ${inWorker ? 'in a worker' : 'in the main thread'}`,
      methods: ['eth_getLogs'],
      run: async (chain) => (await chain.getPackedLogs({ topics, range }, { inWorker })).blocks,
      alone: { null: 'empty' },
      first: { null: 'empty' },
    }
  }),
  {
    what: 'the end of a range of logs',
    methods: ['eth_blockNumber', 'eth_getBlockByNumber'],
    run: async (chain) => (await chain.getPackedLogs({ topics, range })).blocks,
  },
  {
    what: 'the proven logs of a block',
    methods: ['eth_getBlockReceipts'],
    run: async (chain) => (await chain.readBlockLogs(header, listTopics(modules).wanted)).logs,
    // Without a proof by two equal responses. Of what may be an outage only after a minute.
    alone: { refusal: 'right' },
  },
  ...(['eth_getLogs', 'eth_getBlockByHash'] as const).map((method): Use => {
    return {
      what: `the logs of a block without receipts, by ${method}`,
      methods: [method],
      run: async (chain) => (await chain.readBlockLogs(header, listTopics(modules).wanted)).logs,
      rules: [noReceipts],
      alone: { null: method === 'eth_getLogs' ? 'empty' : 'failure' },
    }
  }),
]

const toText = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? 'undefined'

async function observe(use: Use, urls: string[], right: string): Promise<Outcome | string> {
  const chain = new Chain(urls, { retries: 0, timeoutMs: 5_000 })
  try {
    const found = toText(await use.run(chain))
    if (found === right) return 'right'
    return found === 'null' ? 'null' : found === '[]' ? 'empty' : `other: ${found.slice(0, 80)}`
  } catch (error) {
    return isNodeFailure(error) ? 'failure' : `${error}`
  }
}

for (const use of uses) {
  t.test(`${use.what}, from a node with responses of a wrong shape`, async (t) => {
    const right = toText(await use.run(honest))
    for (const method of use.methods) {
      for (const [name, { kind, make }] of Object.entries(shapes)) {
        hostile.follow(...(use.rules ?? []), on(method, make))
        const title = `${method}: ${name}`
        const sent = hostile.calls.get(method) ?? 0
        t.equal(await observe(use, [hostile.url], right), use.alone?.[kind] ?? 'failure', title)
        t.ok((hostile.calls.get(method) ?? 0) > sent, `${title}: it was sent`)
        const both = [hostile.url, test.anvil.url]
        t.equal(await observe(use, both, right), use.first?.[kind] ?? 'right', `${title}, before a right node`)
      }
    }
  })
}

t.test('every method that the service sends is tested with wrong shapes', async (t) => {
  const known = new Set(uses.flatMap(({ methods }) => methods))
  t.same([...known].sort(), [...METHODS].sort())
})
