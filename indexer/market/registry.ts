import { sql } from 'kysely'
import { poolTopics, topics } from '../../chain/events.ts'
import type { Log } from '../../chain/logs/log.ts'
import type { Db } from '../../db/client.ts'
import { toBytes } from '../../db/hex.ts'
import type { LogPosition } from '../../db/queries/positions.ts'
import { type Block, isAfter, isSame } from '../engine/batch.ts'
import { OutOfOrderError } from '../engine/conflicts.ts'
import type { ModuleContracts } from '../engine/module.ts'
import { decodeCreation } from './decode-creation.ts'

export interface Pool {
  address: string
  token: string
  /** Whether the token is the pair's token0; Uniswap orders the two by address. */
  tokenFirst: boolean
  /** The graduation. Earlier logs of the pair are not indexed. */
  since: LogPosition
}

export interface Launch extends LogPosition {
  launchpad: string
  creator: string
}

/** The launches and graduations that count: they decide which logs of tokens and pools are indexed. */
export interface Registry {
  launchpads: ReadonlySet<string>
  /**
   * Launches by token. The first launch counts, and only its launchpad may report on the token's curve. Transfers are
   * indexed from the launch's block on.
   */
  tokens: ReadonlyMap<string, Launch>
  /** Pools by address. A token has one pool and a pool one token; the first graduation counts. */
  pools: ReadonlyMap<string, Pool>
  /** These blocks contain an earlier launch or graduation than the stored one. */
  isOutOfOrder: boolean
}

/** Number of topics of each event of a token: an ERC-721 Transfer has the same topic0 and four topics. */
const topicCounts = new Map<string, number>([
  [topics.transfer, 3],
  [topics.contractUriUpdated, 1],
])
const ofPools = new Set<string>(poolTopics)

/** Whether a log is of a launched token, or of a pool after the graduation into it. */
export function isOfCreated({ tokens, pools }: Registry, block: number, log: Log): boolean {
  const { address, topic0 } = log
  const launched = tokens.get(address)
  if (launched && block >= launched.blockNumber) return topicCounts.get(topic0) === log.topicCount
  const pool = pools.get(address)
  return pool !== undefined && block >= pool.since.blockNumber && ofPools.has(topic0)
}

/** Throws OutOfOrderError if a launch or graduation in the blocks is earlier than the stored one. */
export function requireInOrder({ isOutOfOrder }: Registry): void {
  if (isOutOfOrder) throw new OutOfOrderError('An earlier launch or graduation than the stored one has arrived')
}

function makePool(address: string, token: string, since: LogPosition, wrappedNative: string): Pool {
  return { address, token, tokenFirst: BigInt(token) < BigInt(wrappedNative), since }
}

interface StoredToken {
  token: string
  launchpad: string
  creator: string
  created_block: number
  created_log: number
  pool: string | null
  graduated_block: number
  graduated_log: number
}

/**
 * Loads the registry for these blocks: the contracts of their addresses, stored or among the creations. Whether a creation
 * counts depends on earlier ones, so these are loaded for all of the creations: the launch of a token that graduates, and
 * whatever uses the same token or pool.
 */
export async function loadRegistry(
  db: Db,
  contracts: ModuleContracts,
  blocks: readonly Block[],
  creations: readonly Block[],
): Promise<Registry> {
  const found = discoverContracts(contracts, creations)
  const wanted = new Set(found.tokens.keys())
  for (const { address, token } of found.pools) wanted.add(address).add(token)
  for (const { logs } of blocks) for (const log of logs) addReferred(wanted, log, contracts)
  const { rows } = await sql<StoredToken>`
    select t.address as token, t.launchpad, t.creator, created_block, created_log, pool, graduated_block, graduated_log
    from token_figures f join tokens t on t.id = f.token_id
    where f.token_id in (
      select id from tokens where address = any(${[...wanted]}::text[])
      union all select token_id from pools where pool = any(${[...wanted].map(toBytes)}::bytea[])
    )`.execute(db)
  const launched = new Map<string, Launch>()
  const opened: Pool[] = []
  for (const row of rows) {
    const { launchpad, creator, created_block: blockNumber, created_log: logIndex } = row
    launched.set(row.token, { blockNumber, logIndex, launchpad, creator })
    if (row.pool === null) continue
    const since = { blockNumber: row.graduated_block, logIndex: row.graduated_log }
    opened.push(makePool(row.pool, row.token, since, contracts.wrappedNative))
  }
  const tokens = new Map(launched)
  for (const [token, since] of found.tokens) keepEarlier(tokens, token, since)
  const graduations = found.pools.filter(({ token, since, launchpad }) =>
    wasLaunchedBy(tokens.get(token), launchpad, since),
  )
  const pools = keepFirstGraduations([...opened, ...graduations])
  const isOutOfOrder =
    [...launched].some(([token, since]) => isAfter(since, tokens.get(token)!)) ||
    opened.some(({ address, since }) => !isSame(pools.get(address)?.since, since))
  return { launchpads: contracts.addresses, tokens, pools, isOutOfOrder }
}

/** Adds the token or pool that may be meant: a launchpad names the token in its first indexed argument. */
function addReferred(to: Set<string>, log: Log, { addresses }: ModuleContracts): void {
  const { address } = log
  if (!addresses.has(address)) to.add(address)
  else if (log.topicCount > 1) to.add(log.topicAddress(1))
}

/** Whether a launchpad launched the token before a position. */
export const wasLaunchedBy = (launch: Launch | undefined, launchpad: string, at: LogPosition): boolean =>
  launch?.launchpad === launchpad && isAfter(at, launch)

function keepEarlier(tokens: Map<string, Launch>, token: string, since: Launch): void {
  const known = tokens.get(token)
  if (known === undefined || isAfter(known, since)) tokens.set(token, since)
}

/** The graduations that count: the first of each token, into a pool that no other token has. */
function keepFirstGraduations(graduations: readonly Pool[]): Map<string, Pool> {
  const pools = new Map<string, Pool>()
  const graduated = new Set<string>()
  for (const pool of graduations.toSorted(
    (a, b) => a.since.blockNumber - b.since.blockNumber || a.since.logIndex - b.since.logIndex,
  )) {
    if (pools.has(pool.address) || graduated.has(pool.token)) continue
    pools.set(pool.address, pool)
    graduated.add(pool.token)
  }
  return pools
}

/** The first launch of each token, and every pool, in the launchpads' logs. Logs that cannot be decoded are ignored. */
export function discoverContracts(
  contracts: ModuleContracts,
  creations: readonly Pick<Block, 'number' | 'logs'>[],
): { tokens: Map<string, Launch>; pools: (Pool & { launchpad: string })[] } {
  const tokens = new Map<string, Launch>()
  const pools: (Pool & { launchpad: string })[] = []
  for (const { number, logs } of creations) {
    for (const log of logs) {
      if ((log.topic0 !== topics.create && log.topic0 !== topics.graduate) || !contracts.addresses.has(log.address))
        continue
      const since = { blockNumber: number, logIndex: log.logIndex }
      const { event } = decodeCreation(log)
      const launchpad = log.address
      if (event?.kind === 'create') keepEarlier(tokens, event.token, { ...since, launchpad, creator: event.creator })
      if (event?.kind === 'graduate') {
        pools.push({ ...makePool(event.pool, event.token, since, contracts.wrappedNative), launchpad })
      }
    }
  }
  return { tokens, pools }
}
