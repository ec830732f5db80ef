import type { Address } from 'viem'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import { classifyCallError } from '../../chain/feed/read-price.ts'
import type { Log } from '../../chain/logs/log.ts'
import type { Chain } from '../../chain/rpc/client.ts'
import { isNodeFailure } from '../../chain/rpc/node-failure.ts'
import type { Db } from '../../db/client.ts'
import type { Launchpad } from '../../launchpads/launchpad.ts'
import { venues } from '../../venues/index.ts'
import type { SharedContract } from '../../venues/venue.ts'
import type { Block } from '../engine/batch.ts'
import type { ModuleContracts, Prerequisite } from '../engine/module.ts'
import { findLaunchpads, findShared, loadRegistry } from './registry.ts'

/** Launches and graduations of the tokens that these logs concern. */
export async function findMarketPrerequisites(
  { db, chain }: { db: Db; chain: Chain },
  contracts: ModuleContracts,
  block: Block,
): Promise<Prerequisite[]> {
  const followed = findLaunchpads(contracts)
  const shared = findShared(contracts)
  const unknown = await findUnlaunched(db, listReferencedTokens(followed, block.logs))
  const held = new Map<string, string[]>()
  for (const [pool, emitter] of await findUnknownPools(db, contracts, block, shared)) {
    if (shared.has(emitter)) {
      held.set(emitter, [...(held.get(emitter) ?? []), pool])
      continue
    }
    const token = await readPoolToken(chain, contracts, pool, block)
    if (token) unknown.add(token)
  }
  const ofLaunchpads = [...Map.groupBy(followed, ([, launchpad]) => launchpad)]
  const launches = [...unknown].flatMap((token) =>
    ofLaunchpads.flatMap(([launchpad, deployed]) => {
      const addresses = deployed.map(([address]) => address)
      return launchpad.creationFilters(token).map((filter) => ({
        addresses,
        ...filter,
        matches: (log: Log) => launchpad.subjectOf(log) === token,
        subject: token,
      }))
    }),
  )
  // A token that begins in such a pool is launched in the transaction that opens it.
  const openings = [...held].flatMap(([manager, pools]) => {
    const topic = shared.get(manager)?.creationTopic
    return topic ? [{ addresses: [manager], topics: [topic], topic1: pools, subject: manager }] : []
  })
  return [...launches, ...openings]
}

/** The tokens that launchpad logs refer to. */
function listReferencedTokens(followed: ReadonlyMap<string, Launchpad>, logs: readonly Log[]): Set<string> {
  const tokens = new Set<string>()
  for (const log of logs) {
    const launchpad = followed.get(log.address)
    const isIndexed = (launchpad?.topics as readonly string[] | undefined)?.includes(log.topic0)
    const token = isIndexed ? launchpad?.subjectOf(log) : undefined
    if (token !== undefined) tokens.add(token)
  }
  return tokens
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

const swapTopics = new Set<string>(venues.flatMap(({ swapTopics }) => swapTopics))

/** Pools of these swaps that are not known, with the contracts that emit their logs. */
async function findUnknownPools(
  db: Db,
  contracts: ModuleContracts,
  block: Block,
  shared: ReadonlyMap<string, SharedContract>,
): Promise<Map<string, string>> {
  const swaps = block.logs.filter(({ topic0 }) => swapTopics.has(topic0))
  const found = new Map(swaps.map((log) => [shared.get(log.address)?.poolOf(log) ?? log.address, log.address]))
  if (found.size === 0) return found
  const { pools } = await loadRegistry(db, contracts, [block], [block])
  for (const [address, { since }] of pools) {
    // A pool whose graduation is stored at a later height is of an orphaned branch.
    if (block.number >= since.blockNumber) found.delete(address)
  }
  return found
}

/** The token that a pool trades for a quote asset; undefined for any other contract. */
async function readPoolToken(
  chain: Chain,
  { wrappedNative, quotes }: ModuleContracts,
  pool: string,
  { number, logs }: Block,
): Promise<string | undefined> {
  try {
    const sides = await readSides(chain, pool, number)
    const isQuote = (address: string) => address === wrappedNative || quotes.has(address)
    if (!sides.some(isQuote)) return undefined
    // One quote asset may be a token that is priced in another.
    const tokens = sides.filter((address) => !isQuote(address) || sides.every(isQuote))
    // A swap transfers the token: a pool without such a transfer is a fake.
    return tokens.find((token) => logs.some(({ address }) => address === token))
  } catch (error) {
    if (isNodeFailure(error)) throw error
    return undefined
  }
}

/**
 * The two tokens of a pool, read at the height of its swap: the pools of all venues have the functions of a pair of Uniswap V2. A
 * lagging node rejects that height; its own head may be older than the pool.
 */
async function readSides(chain: Chain, pool: string, height: number): Promise<string[]> {
  const read = (at: { blockNumber?: bigint }) => {
    const call = { address: pool as Address, abi: uniswapV2PairAbi, ...at } as const
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
