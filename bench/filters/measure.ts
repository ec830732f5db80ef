import { Chain } from '../../chain/rpc/client.ts'
import type { Db } from '../../db/client.ts'
import type { Contracts } from '../../indexer/engine/contracts.ts'
import { Fetcher } from '../../indexer/engine/fetch.ts'
import { listTopics } from '../../indexer/engine/module.ts'
import { market } from '../../indexer/market/module.ts'
import { addressOf, type ChainShape, type CountingNode, serveChain } from './node.ts'

const COUNTS = [1_000, 10_000, 100_000]

/** Prints a row for each way and number of contracts. */
export async function measureFilters(shape: ChainShape): Promise<void> {
  const { blocks, others, ours } = shape
  console.log(`${blocks} blocks with ${ours} logs of the contracts and ${others} of others in each\n`)
  console.log('contracts  way             requests  MB sent  MB received   seconds')
  for (const count of COUNTS) {
    const addresses = Array.from({ length: count }, (_, n) => addressOf(n))
    const node = await serveChain(shape, count)
    const range = { from: 1, to: blocks }
    const topics = [...listTopics([market]).created] as `0x${string}`[]
    const ways: [string, (chain: Chain) => Promise<unknown>][] = [
      ['naming them', (chain) => chain.getPackedLogs({ address: addresses, topics, range }, { inWorker: true })],
      ['naming none', (chain) => chain.getPackedLogs({ topics, range }, { inWorker: true })],
      ['as chosen', async (chain) => (await openFetcher(chain, addresses)).requestRange(range)],
    ]
    for (const [name, request] of ways) await measureWay(node, count, name, request)
  }
}

async function measureWay(
  node: CountingNode,
  count: number,
  name: string,
  request: (chain: Chain) => Promise<unknown>,
): Promise<void> {
  const chain = new Chain([node.url])
  node.take()
  const start = performance.now()
  await request(chain)
  const seconds = (performance.now() - start) / 1_000
  const { requests, bytesIn, bytesOut } = node.take()
  const cells = [requests.toString().padStart(8), megabytes(bytesIn, 7), megabytes(bytesOut, 11), seconds.toFixed(2)]
  console.log(`${count.toString().padStart(9)}  ${name.padEnd(14)}  ${cells.join('  ').padStart(8)}`)
}

const megabytes = (bytes: number, width: number): string => (bytes / 1e6).toFixed(2).padStart(width)

/** A fetcher that knows these contracts; it reads no database. */
async function openFetcher(chain: Chain, known: readonly string[]): Promise<Fetcher> {
  const module = { ...market, created: { ...market.created!, listKnown: async () => [...known] } }
  const contracts: Contracts = {
    ...{ modules: [module], addresses: new Map([['market', new Map([[addressOf(-1), 'launchpad']])]]) },
    ...{ wrappedNative: addressOf(-2), quotes: new Map(), feed: null, startBlock: 1, backfilling: new Map() },
  }
  return Fetcher.open(undefined as unknown as Db, chain, contracts, 0)
}
