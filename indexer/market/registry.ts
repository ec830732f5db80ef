import { sql } from 'kysely'
import type { Log } from '../../chain/logs/log.ts'
import { tokenTopics } from '../../chain/token-events.ts'
import type { Db } from '../../db/client.ts'
import { toBytes } from '../../db/hex.ts'
import type { LogPosition } from '../../db/queries/positions.ts'
import { launchpads } from '../../launchpads/index.ts'
import type { Launchpad } from '../../launchpads/launchpad.ts'
import { venues } from '../../venues/index.ts'
import type { Pool, Venue } from '../../venues/venue.ts'
import { type Block, isAfter, isSame } from '../engine/batch.ts'
import { OutOfOrderError } from '../engine/conflicts.ts'
import type { ModuleContracts } from '../engine/module.ts'
import { decodeCreation, isCreation } from './decode-creation.ts'

export interface KnownPool extends Pool {
  /** The graduation. Logs of the pool are indexed from its block on. */
  since: LogPosition
  venue: Venue
}

export interface Launch extends LogPosition {
  launchpad: string
  creator: string
  /** The virtual tokens that are left when the curve is sold out, in base units. */
  soldOutAt: string
}

/** The launches and graduations that count: they decide which logs of tokens and pools are indexed. */
export interface Registry {
  /** The configured ones, by address. */
  launchpads: ReadonlyMap<string, Launchpad>
  /**
   * Launches by token. The first launch counts, and only its launchpad may report on the token's curve. Transfers are
   * indexed from the launch's block on.
   */
  tokens: ReadonlyMap<string, Launch>
  /** Pools by address. A token has one pool and a pool one token; the first graduation counts. */
  pools: ReadonlyMap<string, KnownPool>
  /** These blocks contain an earlier launch or graduation than the stored one. */
  isOutOfOrder: boolean
}

/** Number of topics of each event of a token: an ERC-721 Transfer has the same topic0 and four topics. */
const topicCounts = new Map<string, number>([
  [tokenTopics.transfer, 3],
  [tokenTopics.contractUriUpdated, 1],
])

/** Whether a log is of a launched token, or of a pool after the graduation into it. */
export function isOfCreated({ tokens, pools }: Registry, block: number, log: Log): boolean {
  const { address, topic0 } = log
  const launched = tokens.get(address)
  // An address may be a pool's as well.
  if (launched && block >= launched.blockNumber && topicCounts.get(topic0) === log.topicCount) return true
  const pool = pools.get(address)
  return (
    pool !== undefined && block >= pool.since.blockNumber && (pool.venue.topics as readonly string[]).includes(topic0)
  )
}

/** Throws OutOfOrderError if a launch or graduation in the blocks is earlier than the stored one. */
export function requireInOrder({ isOutOfOrder }: Registry): void {
  if (isOutOfOrder) throw new OutOfOrderError('An earlier launch or graduation than the stored one has arrived')
}

function makePool(
  { address, token, since }: Omit<KnownPool, 'tokenFirst' | 'venue'>,
  venue: Venue,
  wrappedNative: string,
): KnownPool {
  return { address, token, tokenFirst: BigInt(token) < BigInt(wrappedNative), since, venue }
}

const byDeployment = new Map(launchpads.map((launchpad) => [launchpad.deployment, launchpad]))

/** The launchpads among the configured contracts, by address. */
export const findLaunchpads = ({ addresses }: ModuleContracts): ReadonlyMap<string, Launchpad> =>
  new Map([...addresses].map(([address, deployment]) => [address, getLaunchpad(deployment)]))

function getVenue(name: string): Venue {
  const venue = venues.find((one) => one.name === name)
  if (venue === undefined) throw new Error(`This version knows no venue ${name}`)
  return venue
}

function getLaunchpad(deployment: string): Launchpad {
  const launchpad = byDeployment.get(deployment)
  if (launchpad === undefined) throw new Error(`This version knows no launchpad of kind ${deployment}`)
  return launchpad
}

interface StoredToken {
  token: string
  launchpad: string
  creator: string
  venue: string
  sold_out_at: string
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
  const followed = findLaunchpads(contracts)
  const found = discoverContracts(contracts, creations)
  const wanted = new Set(found.tokens.keys())
  for (const { address, token } of found.pools) wanted.add(address).add(token)
  for (const { logs } of blocks) for (const log of logs) addReferred(wanted, log, followed)
  const { rows } = await sql<StoredToken>`
    select t.address as token, t.launchpad, t.creator, t.venue,
      t.initial_virtual_token - t.initial_real_token as sold_out_at, created_block, created_log, pool, graduated_block, graduated_log
    from token_figures f join tokens t on t.id = f.token_id
    where f.token_id in (
      select id from tokens where address = any(${[...wanted]}::text[])
      union all select token_id from pools where pool = any(${[...wanted].map(toBytes)}::bytea[])
    )`.execute(db)
  const launched = new Map<string, Launch>()
  const opened: KnownPool[] = []
  for (const row of rows) {
    const { launchpad, creator, sold_out_at: soldOutAt, created_block: blockNumber, created_log: logIndex } = row
    launched.set(row.token, { blockNumber, logIndex, launchpad, creator, soldOutAt })
    if (row.pool === null) continue
    const since = { blockNumber: row.graduated_block, logIndex: row.graduated_log }
    const pool = { address: row.pool, token: row.token, since }
    opened.push(makePool(pool, getVenue(row.venue), contracts.wrappedNative))
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
  return { launchpads: followed, tokens, pools, isOutOfOrder }
}

/** Adds the token or pool that may be meant. */
function addReferred(to: Set<string>, log: Log, followed: ReadonlyMap<string, Launchpad>): void {
  const launchpad = followed.get(log.address)
  const subject = launchpad === undefined ? log.address : launchpad.subjectOf(log)
  if (subject !== undefined) to.add(subject)
}

/** Whether a launchpad launched the token before a position. */
export const wasLaunchedBy = (launch: Launch | undefined, launchpad: string, at: LogPosition): boolean =>
  launch?.launchpad === launchpad && isAfter(at, launch)

function keepEarlier(tokens: Map<string, Launch>, token: string, since: Launch): void {
  const known = tokens.get(token)
  if (known === undefined || isAfter(known, since)) tokens.set(token, since)
}

/** The graduations that count: the first of each token, into a pool that no other token has. */
function keepFirstGraduations(graduations: readonly KnownPool[]): Map<string, KnownPool> {
  const pools = new Map<string, KnownPool>()
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
): { tokens: Map<string, Launch>; pools: (KnownPool & { launchpad: string })[] } {
  const tokens = new Map<string, Launch>()
  const pools: (KnownPool & { launchpad: string })[] = []
  const followed = findLaunchpads(contracts)
  for (const { number, logs } of creations) {
    for (const log of logs) {
      const launchpad = followed.get(log.address)
      if (launchpad === undefined || !isCreation(launchpad, log)) continue
      const since = { blockNumber: number, logIndex: log.logIndex }
      const { fact } = decodeCreation(launchpad, log)
      const by = { launchpad: log.address }
      if (fact?.kind === 'create') {
        const soldOutAt = String(fact.virtualToken - fact.saleSupply)
        keepEarlier(tokens, fact.token, { ...since, ...by, creator: fact.creator, soldOutAt })
      }
      if (fact?.kind === 'graduate') {
        const pool = { address: fact.pool, token: fact.token, since }
        pools.push({ ...makePool(pool, launchpad.venue, contracts.wrappedNative), ...by })
      }
    }
  }
  return { tokens, pools }
}
