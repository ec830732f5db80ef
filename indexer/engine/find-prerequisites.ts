import type { Address } from 'viem'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import type { Chain } from '../../chain/client.ts'
import { launchpadTopics, topics } from '../../chain/events.ts'
import { type Log, parseTopicAddress, type RpcLog } from '../../chain/logs.ts'
import { isNodeFailure } from '../../chain/node-failure.ts'
import type { BlockRange } from '../../chain/split-range.ts'
import type { Db } from '../../db/client.ts'
import type { Block } from './batch.ts'
import type { Contracts } from './contracts.ts'
import { pickLogs } from './domain.ts'
import { domains } from './domains.ts'
import { loadRegistry } from './registry.ts'

/**
 * Finds transactions that these logs depend on and that the database lacks: launches and graduations of their tokens,
 * and what the domains ask for. A receipt sync ahead of the indexer applies them first. Returns hashes, oldest first.
 */
export async function findPrerequisites(db: Db, chain: Chain, contracts: Contracts, block: Block): Promise<string[]> {
  const range = { from: await findLowest(db, contracts), to: block.number }
  const tokens = await findUnknownTokens(db, chain, contracts, block)
  const prerequisites = new Map<string, RpcLog>()
  for (const token of tokens) {
    const logs = await chain.getLogs({
      address: [...contracts.launchpads],
      topics: [topics.create, topics.graduate],
      token,
      range,
    })
    for (const log of logs) prerequisites.set(log.transactionHash, log)
  }
  for (const log of await findDomainPrerequisites(db, chain, contracts, block, range)) {
    prerequisites.set(log.transactionHash, log)
  }
  return [...prerequisites].sort(([, a], [, b]) => compareLogs(a, b)).map(([txHash]) => txHash)
}

const compareLogs = (a: RpcLog, b: RpcLog): number =>
  Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex)

/** Up to the checkpoint the database is complete. */
async function findLowest(db: Db, { startBlock }: Contracts): Promise<number> {
  const state = await db.selectFrom('chain_state').select('checkpoint_number').executeTakeFirst()
  return Math.max(startBlock, (state?.checkpoint_number ?? 0) + 1)
}

async function findDomainPrerequisites(
  db: Db,
  chain: Chain,
  contracts: Contracts,
  block: Block,
  range: BlockRange,
): Promise<RpcLog[]> {
  const found: RpcLog[] = []
  for (const domain of domains) {
    const logs = pickLogs([block], contracts[domain.name])
    if (logs.length === 0) continue
    for (const { address: contract, topic0: topic, topic1: word } of await domain.findPrerequisites(db, logs)) {
      found.push(...(await chain.getLogs({ address: [contract], topics: [topic], token: word, range })))
    }
  }
  return found
}

async function findUnknownTokens(db: Db, chain: Chain, contracts: Contracts, block: Block): Promise<Set<string>> {
  const referenced = listReferencedTokens(contracts, block.logs)
  const unknown = new Set(referenced)
  if (referenced.size > 0) {
    const launched = await db
      .selectFrom('tokens')
      .select('address')
      .where('address', 'in', [...referenced])
      .execute()
    for (const { address } of launched) unknown.delete(address)
  }
  const { pools } = await loadRegistry(db, contracts, [block])
  // A pool whose graduation is stored at a later height is of an orphaned branch.
  const isKnown = (pair: string) => block.number >= (pools.get(pair)?.since.blockNumber ?? Number.POSITIVE_INFINITY)
  const unknownPairs = new Set(
    block.logs.filter((log) => log.topics[0] === topics.swap && !isKnown(log.address)).map(({ address }) => address),
  )
  for (const pair of unknownPairs) {
    const token = await readPairToken(chain, contracts, pair, block.logs)
    if (token) unknown.add(token)
  }
  return unknown
}

/** The tokens that launchpad logs refer to. */
function listReferencedTokens({ launchpads }: Contracts, logs: readonly Log[]): Set<string> {
  const events = new Set<string>(launchpadTopics)
  return new Set(
    logs
      .filter(({ address, topics: [topic = '', token] }) => launchpads.has(address) && events.has(topic) && token)
      .map(({ topics: [, token = ''] }) => parseTopicAddress(token)),
  )
}

/** The token that a pair trades for the native coin; undefined for any other contract. */
async function readPairToken(
  chain: Chain,
  { wrappedNative }: Contracts,
  pair: string,
  logs: readonly Log[],
): Promise<string | undefined> {
  try {
    const read = (functionName: 'token0' | 'token1') =>
      chain.client.readContract({ address: pair as Address, abi: uniswapV2PairAbi, functionName })
    const sides = (await Promise.all([read('token0'), read('token1')])).map((address) => address.toLowerCase())
    if (!sides.includes(wrappedNative)) return undefined
    const token = sides.find((address) => address !== wrappedNative)
    // A swap transfers the token: a pair without such a transfer is a fake.
    return logs.some(({ address }) => address === token) ? token : undefined
  } catch (error) {
    if (isNodeFailure(error)) throw error
    return undefined
  }
}
