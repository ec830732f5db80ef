import { sql } from 'kysely'
import { decodeLaunchpadLog, launchpadTopics, poolTopics, tokenTopics, topics } from '../chain/events.ts'
import { type Log, parseTopicAddress } from '../chain/logs.ts'
import type { Db } from '../db/client.ts'
import type { Block, Position } from './batch.ts'
import { domains } from './domains.ts'

/** The contracts that the service was configured with. */
export interface Deployment {
  launchpads: ReadonlySet<string>
  staking: ReadonlySet<string>
  raises: ReadonlySet<string>
  /** The native coin as an ERC-20: the quote side of every pool. */
  wrappedNative: string
}

export interface Pool {
  address: string
  token: string
  /** Whether the token is the pair's token0; Uniswap orders the two by address. */
  tokenFirst: boolean
  /** Where the token graduated into it. What happened in the pair before is not ours. */
  since: Position
}

/** Which contracts' logs are ours. */
export interface Registry {
  launchpads: ReadonlySet<string>
  tokens: ReadonlySet<string>
  pools: ReadonlyMap<string, Pool>
  /** The contracts of the other domains, and the topics of the events of theirs that mean something. */
  others: ReadonlyMap<string, ReadonlySet<string>>
}

const ofLaunchpads = new Set<string>(launchpadTopics)
const ofTokens = new Set<string>(tokenTopics)
const ofPools = new Set<string>(poolTopics)

/**
 * Whether a log means something to the indexer. What is stored of a block follows from the chain alone, whoever brought it:
 * the indexer, which asks for these logs, or a receipt, which holds all of its transaction's.
 */
export function isOurs(
  { launchpads, tokens, pools, others }: Registry,
  block: number,
  { address, topics }: Log,
): boolean {
  const topic = topics[0] ?? ''
  if (launchpads.has(address)) return ofLaunchpads.has(topic)
  // An ERC-721 Transfer has the same topic and one more of them; it cannot come from a token of ours.
  if (tokens.has(address)) return ofTokens.has(topic) && topics.length === 3
  const events = others.get(address)
  if (events) return events.has(topic)
  const pool = pools.get(address)
  return pool !== undefined && block >= pool.since.block && ofPools.has(topic)
}

export function makePool(address: string, token: string, since: Position, wrappedNative: string): Pool {
  return { address, token, tokenFirst: BigInt(token) < BigInt(wrappedNative), since }
}

/** The registry as far as these blocks need it: what the database knows of their addresses, and what they add. */
export async function loadRegistry(db: Db, deployment: Deployment, blocks: readonly Block[]): Promise<Registry> {
  const found = discoverContracts(deployment, blocks)
  const tokens = new Set(found.tokens)
  const pools = new Map(found.pools)
  const unknown = new Set<string>()
  for (const block of blocks) {
    for (const { address } of block.logs) {
      if (!deployment.launchpads.has(address) && !tokens.has(address)) unknown.add(address)
    }
  }
  if (unknown.size > 0) {
    const { rows } = await sql<{
      token: string
      pool: string | null
      graduated_block: number
      graduated_log: number
    }>`select token, pool, graduated_block, graduated_log from token_figures
      where token = any(${[...unknown]}::text[]) or pool = any(${[...unknown]}::text[])`.execute(db)
    for (const row of rows) {
      tokens.add(row.token)
      if (!row.pool || pools.has(row.pool)) continue
      const since = { block: row.graduated_block, log: row.graduated_log }
      pools.set(row.pool, makePool(row.pool, row.token, since, deployment.wrappedNative))
    }
  }
  return { launchpads: deployment.launchpads, tokens, pools, others: findOthers(deployment) }
}

function findOthers(deployment: Deployment): Map<string, ReadonlySet<string>> {
  return new Map(
    domains.flatMap(({ name, topics }) => [...deployment[name]].map((address) => [address, new Set<string>(topics)])),
  )
}

/** The tokens and pools that a launchpad's own logs speak of. An event of a launchpad proves its token. */
export function discoverContracts(
  deployment: Deployment,
  blocks: readonly Pick<Block, 'number' | 'logs'>[],
): { tokens: Set<string>; pools: Map<string, Pool> } {
  const tokens = new Set<string>()
  const pools = new Map<string, Pool>()
  for (const { number, logs } of blocks) {
    for (const log of logs) {
      if (!deployment.launchpads.has(log.address)) continue
      if (log.topics[0] === topics.graduate) {
        const event = decodeLaunchpadLog(log)
        if (event?.kind !== 'graduate') continue
        const since = { block: number, log: log.logIndex }
        pools.set(event.pool, makePool(event.pool, event.token, since, deployment.wrappedNative))
      }
      const topic = log.topics[1]
      if (topic) tokens.add(parseTopicAddress(topic))
    }
  }
  return { tokens, pools }
}
