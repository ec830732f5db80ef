import type { Address } from 'viem'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import { launchpadTopics, topics } from '../../chain/events.ts'
import { classifyCallError } from '../../chain/feed/read-price.ts'
import type { Log } from '../../chain/logs/log.ts'
import type { Chain } from '../../chain/rpc/client.ts'
import { isNodeFailure } from '../../chain/rpc/node-failure.ts'
import type { Db } from '../../db/client.ts'
import type { Block } from '../engine/batch.ts'
import type { ModuleContracts, Prerequisite } from '../engine/module.ts'
import { loadRegistry } from './registry.ts'

/** Launches and graduations of the tokens that these logs concern. */
export async function findMarketPrerequisites(
  { db, chain }: { db: Db; chain: Chain },
  contracts: ModuleContracts,
  block: Block,
): Promise<Prerequisite[]> {
  const unknown = await findUnlaunched(db, listReferencedTokens(contracts, block.logs))
  for (const pair of await findUnknownPairs(db, contracts, block)) {
    const token = await readPairToken(chain, contracts, pair, block)
    if (token) unknown.add(token)
  }
  return [...unknown].map((token) => ({
    addresses: [...contracts.addresses],
    topics: [topics.create, topics.graduate],
    topic1: token,
  }))
}

/** The tokens that launchpad logs refer to. */
function listReferencedTokens({ addresses }: ModuleContracts, logs: readonly Log[]): Set<string> {
  const events = new Set<string>(launchpadTopics)
  return new Set(
    logs
      .filter((log) => addresses.has(log.address) && events.has(log.topic0) && log.topicCount > 1)
      .map((log) => log.topicAddress(1)),
  )
}

async function findUnlaunched(db: Db, tokens: ReadonlySet<string>): Promise<Set<string>> {
  const unlaunched = new Set(tokens)
  if (tokens.size === 0) return unlaunched
  const launched = await db
    .selectFrom('tokens')
    .select('address')
    .where('address', 'in', [...tokens])
    .execute()
  for (const { address } of launched) unlaunched.delete(address)
  return unlaunched
}

/** Contracts that emit swaps and are not known as pools. */
async function findUnknownPairs(db: Db, contracts: ModuleContracts, block: Block): Promise<Set<string>> {
  const pairs = new Set(block.logs.filter((log) => log.topic0 === topics.swap).map(({ address }) => address))
  if (pairs.size === 0) return pairs
  const { pools } = await loadRegistry(db, contracts, [block], [block])
  for (const [address, { since }] of pools) {
    // A pool whose graduation is stored at a later height is of an orphaned branch.
    if (block.number >= since.blockNumber) pairs.delete(address)
  }
  return pairs
}

/** The token that a pair trades for the native coin; undefined for any other contract. */
async function readPairToken(
  chain: Chain,
  { wrappedNative }: ModuleContracts,
  pair: string,
  { number, logs }: Block,
): Promise<string | undefined> {
  try {
    const sides = await readSides(chain, pair, number)
    if (!sides.includes(wrappedNative)) return undefined
    const token = sides.find((address) => address !== wrappedNative)
    // A swap transfers the token: a pair without such a transfer is a fake.
    return logs.some(({ address }) => address === token) ? token : undefined
  } catch (error) {
    if (isNodeFailure(error)) throw error
    return undefined
  }
}

/**
 * The two tokens of a pair, read at the height of its swap. A lagging node rejects that height; its own head may be older
 * than the pair.
 */
async function readSides(chain: Chain, pair: string, height: number): Promise<string[]> {
  const read = (at: { blockNumber?: bigint }) => {
    const call = { address: pair as Address, abi: uniswapV2PairAbi, ...at } as const
    return Promise.all([
      chain.client.readContract({ ...call, functionName: 'token0' }),
      chain.client.readContract({ ...call, functionName: 'token1' }),
    ])
  }
  const sides = await read({ blockNumber: BigInt(height) }).catch((error: unknown) => {
    // The state is pruned. The sides never change.
    if (classifyCallError(error) === 'no-state') return read({})
    throw error
  })
  return sides.map((address) => address.toLowerCase())
}
