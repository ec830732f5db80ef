import { sql } from 'kysely'
import { zeroAddress } from 'viem'
import type { ContractRead } from '../../chain/logs/contract-read.ts'
import type { Log } from '../../chain/logs/log.ts'
import type { QuoteAsset } from '../../chain/rates.ts'
import { tokenTopics } from '../../chain/token-events.ts'
import type { Db } from '../../db/client.ts'
import { toBytes } from '../../db/hex.ts'
import type { LogPosition } from '../../db/queries/positions.ts'
import { inBaseUnits } from '../../launchpads/curve-reserves.ts'
import { findByDeployment, getLaunchpad } from '../../launchpads/index.ts'
import type { LaunchpadKind } from '../../launchpads/kinds.ts'
import type { CurveTerms, LaunchFact, Launchpad, LaunchpadFact } from '../../launchpads/launchpad.ts'
import { venues } from '../../venues/index.ts'
import type { Pool, SharedContract, Venue } from '../../venues/venue.ts'
import { type Block, isAfter, isSame } from '../engine/batch.ts'
import { OutOfOrderError } from '../engine/errors.ts'
import type { ModuleContracts } from '../engine/module.ts'
import { decodeCreation, isCreation, type LaunchContext } from './decode-creation.ts'

export interface KnownPool extends Pool {
  /** The graduation, or the launch in the pool. Logs of the pool are indexed from its block on. */
  since: LogPosition
  venue: Venue
  /** Whether the token was launched in it. */
  isDirect: boolean
}

export interface Launch extends LogPosition {
  launchpad: string
  launchpadKind: string
  creator: string
  /** The virtual tokens that are left when the curve is sold out, in base units; 0 without a curve. */
  soldOutAt: string
  /** The virtual reserves of its curve at the launch, in base units. */
  virtualQuote: string
  virtualToken: string
  /** What the token is priced in; null for the native coin. */
  quote: QuoteAsset | null
  /** Whether its pool has the native coin itself on the other side, which comes before every token; elsewhere it is wrapped. */
  poolNative: boolean
  decimals: number
}

/** The launches and graduations that count: they decide which logs of tokens and pools are indexed. */
export interface Registry extends LaunchContext {
  /** The configured ones, by address. */
  launchpads: ReadonlyMap<string, Launchpad>
  /** See ModuleContracts. */
  quotes: ReadonlyMap<string, QuoteAsset>
  wrappedNative: string
  /** The configured contracts that pools share, by address. */
  shared: ReadonlyMap<string, SharedContract>
  /**
   * Launches by token. The first launch counts, and only its launchpad may report on the token's curve. Transfers are
   * indexed from the launch's block on.
   */
  tokens: ReadonlyMap<string, Launch>
  /** Pools by address or id. A token has one pool and a pool one token; the first graduation, or launch in a pool, counts. */
  pools: ReadonlyMap<string, KnownPool>
  /** Those that another contract holds, by token. */
  held: ReadonlyMap<string, KnownPool>
  /** These blocks contain an earlier launch or graduation than the stored one. */
  isOutOfOrder: boolean
}

/** Number of topics of each event of a token: an ERC-721 Transfer has the same topic0 and four topics. */
const topicCounts = new Map<string, number>([
  [tokenTopics.transfer, 3],
  [tokenTopics.contractUriUpdated, 1],
])

/** Whether a log is of a launched token, or of a pool after the graduation into it. */
export function isOfCreated({ tokens, pools, shared }: Registry, block: number, log: Log): boolean {
  const { address, topic0 } = log
  const contract = shared.get(address)
  if (contract !== undefined) {
    const pool = pools.get(contract.poolOf(log) ?? '')
    if (pool?.venue.shared !== contract || block < pool.since.blockNumber) return false
    return contract.holdsPools ? pool.manager === address : pool.isDirect
  }
  const launched = tokens.get(address)
  // An address may be a pool's as well.
  if (launched && block >= launched.blockNumber && topicCounts.get(topic0) === log.topicCount) return true
  const pool = pools.get(address)
  return (
    pool !== undefined && block >= pool.since.blockNumber && (pool.venue.topics as readonly string[]).includes(topic0)
  )
}

/**
 * Whether a log is about a token of a launchpad that is being backfilled, which was launched before the head followed it. What such a
 * launchpad says about a token of no known launch is left to the backfill as well. So of each token, all logs of a block come at once.
 */
export function isLeftToBackfill(
  { launchpads, tokens, pools, shared }: Registry,
  backfilling: ModuleContracts['backfilling'],
  log: Log,
): boolean {
  const launchpad = launchpads.get(log.address)
  if (launchpad !== undefined) {
    const from = backfilling.get(log.address)
    if (from === undefined) return false
    const launch = tokens.get(launchpad.subjectOf(log) ?? '')
    return launch === undefined || launch.blockNumber <= from
  }
  const pool = shared.get(log.address)?.poolOf(log) ?? log.address
  const launch = tokens.get(pools.get(pool)?.token ?? log.address)
  return launch !== undefined && launch.blockNumber <= (backfilling.get(launch.launchpad) ?? -1)
}

/** The pool whose log this is. */
export function findPool({ pools, shared }: Registry, log: Log): KnownPool | undefined {
  const contract = shared.get(log.address)
  if (contract === undefined) return pools.get(log.address)
  const pool = contract.holdsPools ? pools.get(contract.poolOf(log) ?? '') : undefined
  return pool?.manager === log.address ? pool : undefined
}

/** Throws OutOfOrderError if a launch or graduation in the blocks is earlier than the stored one. */
export function requireInOrder({ isOutOfOrder }: Registry): void {
  if (isOutOfOrder) throw new OutOfOrderError('An earlier launch or graduation than the stored one has arrived')
}

/** A pool of a token with its quote asset, which is launched. */
function makePool(
  pool: FoundPool,
  { quote, poolNative }: Launch,
  { wrappedNative, shared }: Pick<Registry, 'wrappedNative' | 'shared'>,
): KnownPool {
  const tokenFirst = !poolNative && BigInt(pool.token) < BigInt(quote?.address ?? wrappedNative)
  return { ...pool, tokenFirst, manager: findManager(pool.venue, shared) }
}

/** The contract that holds all pools of a type, the first that is configured; null: its pools are contracts. */
export function findManager({ shared: own }: Venue, shared: Registry['shared']): string | null {
  if (!own?.holdsPools) return null
  return [...shared].find(([, contract]) => contract === own)?.[0] ?? null
}

/** Contracts that pools share, by their kinds in DEPLOYMENTS. */
export const sharedContracts: ReadonlyMap<string, SharedContract> = new Map(
  venues.flatMap(({ shared }) => (shared ? [[shared.deployment, shared]] : [])),
)

/**
 * The asset that a launch is priced in; null: the native coin, wrapped or not. undefined: none that counts at this block.
 */
export function findQuote(
  quoteToken: string,
  block: number,
  { quotes, wrappedNative }: Pick<ModuleContracts, 'quotes' | 'wrappedNative'>,
): QuoteAsset | null | undefined {
  if (quoteToken === zeroAddress || quoteToken === wrappedNative) return null
  const quote = quotes.get(quoteToken)
  return quote !== undefined && block >= quote.since ? quote : undefined
}

/** The decimals of a token whose launch does not name them. */
export const DEFAULT_DECIMALS = 18

/** The launchpads among the configured contracts, by address. */
export const findLaunchpads = ({ addresses }: ModuleContracts): ReadonlyMap<string, Launchpad> =>
  new Map(
    [...addresses].flatMap(([address, deployment]) =>
      sharedContracts.has(deployment) ? [] : [[address, getDeployed(deployment)]],
    ),
  )

/** What the log of a launch or a graduation leaves out. Of several contracts that a launchpad needs, the newest is asked. */
export function findRead(contracts: ModuleContracts, log: Log): ContractRead | undefined {
  const { addresses, wrappedNative } = contracts
  const launchpad = findLaunchpads(contracts).get(log.address)
  if (!launchpad?.reads || !isCreation(launchpad, log)) return undefined
  const needed = [...addresses].findLast(([, deployment]) => deployment === launchpad.needs)?.[0]
  return launchpad.reads(log, { needed, wrappedNative })
}

/** The contracts that pools share among the configured ones, by address. */
export const findShared = ({ addresses }: ModuleContracts): ReadonlyMap<string, SharedContract> =>
  new Map(
    [...addresses].flatMap(([address, deployment]) => {
      const contract = sharedContracts.get(deployment)
      return contract === undefined ? [] : [[address, contract]]
    }),
  )

function getDeployed(deployment: string): Launchpad {
  const launchpad = findByDeployment(deployment)
  if (launchpad === undefined) throw new Error(`This version knows no launchpad of kind ${deployment}`)
  return launchpad
}

interface StoredToken {
  token: string
  launchpad: string
  launchpad_kind: LaunchpadKind
  creator: string
  quote_token: string
  decimals: number
  sold_out_at: string
  initial_virtual_quote: string
  initial_virtual_token: string
  created_block: number
  created_log: number
  lifecycle: string
  pool_native: boolean
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
  const { quotes, wrappedNative } = contracts
  const [followed, shared] = [findLaunchpads(contracts), findShared(contracts)]
  const found = discoverContracts(contracts, creations)
  const wanted = new Set(found.tokens.keys())
  for (const { address, token } of found.pools) wanted.add(address).add(token)
  for (const { logs } of blocks) for (const log of logs) addReferred(wanted, log, { followed, shared })
  const { rows } = await sql<StoredToken>`
    select t.address as token, t.launchpad, t.launchpad_kind, t.creator, t.lifecycle, t.pool_native, t.quote_token, t.decimals,
      t.initial_virtual_token - t.initial_real_token as sold_out_at, t.initial_virtual_quote, t.initial_virtual_token,
      created_block, created_log, pool, graduated_block, graduated_log
    from token_figures f join tokens t on t.id = f.token_id
    where f.token_id in (
      select id from tokens where address = any(${[...wanted]}::text[])
      union all select token_id from pools where pool = any(${[...wanted].map(toBytes)}::bytea[])
    )`.execute(db)
  const launched = new Map<string, Launch>()
  const opened: KnownPool[] = []
  for (const row of rows) {
    const { launchpad, creator, sold_out_at: soldOutAt, created_block: blockNumber, created_log: logIndex } = row
    const quote = contracts.quotes.get(row.quote_token) ?? null
    const { initial_virtual_quote: virtualQuote, initial_virtual_token: virtualToken } = row
    const terms = {
      launchpadKind: row.launchpad_kind,
      soldOutAt,
      virtualQuote,
      virtualToken,
      quote,
      poolNative: row.pool_native,
      decimals: row.decimals,
    }
    const launch = { blockNumber, logIndex, launchpad, creator, ...terms }
    launched.set(row.token, launch)
    if (row.pool === null) continue
    const since = { blockNumber: row.graduated_block, logIndex: row.graduated_log }
    const pool = { address: row.pool, token: row.token, since, isDirect: row.lifecycle === 'direct' }
    opened.push(makePool({ ...pool, venue: getLaunchpad(row.launchpad_kind).venue }, launch, { wrappedNative, shared }))
  }
  const tokens = new Map(launched)
  for (const [token, since] of found.tokens) keepEarlier(tokens, token, since)
  const graduations = found.pools.flatMap(({ launchpad, ...pool }) => {
    const launch = tokens.get(pool.token)
    const isOf = pool.isDirect ? isSame(launch, pool.since) : wasLaunchedBy(launch, launchpad, pool.since)
    return launch !== undefined && isOf ? makePool(pool, launch, { wrappedNative, shared }) : []
  })
  const pools = keepFirstGraduations([...opened, ...graduations])
  const isOutOfOrder =
    [...launched].some(([token, since]) => isAfter(since, tokens.get(token)!)) ||
    opened.some(({ address, since }) => !isSame(pools.get(address)?.since, since))
  const held = new Map([...pools.values()].flatMap((pool) => (pool.manager === null ? [] : [[pool.token, pool]])))
  return { launchpads: followed, shared, quotes, wrappedNative, tokens, pools, held, isOutOfOrder }
}

/** Adds the token or pool that may be meant. */
function addReferred(
  to: Set<string>,
  log: Log,
  { followed, shared }: Pick<Registry, 'shared'> & { followed: Registry['launchpads'] },
): void {
  const launchpad = followed.get(log.address)
  const subject = launchpad === undefined ? log.address : launchpad.subjectOf(log)
  if (subject !== undefined) to.add(subject)
  const pool = shared.get(log.address)?.poolOf(log)
  if (pool !== undefined) to.add(pool)
}

/** Whether a launchpad launched the token before a position. */
export const wasLaunchedBy = (launch: Launch | undefined, launchpad: string, at: LogPosition): launch is Launch =>
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

type FoundPool = Omit<KnownPool, 'tokenFirst' | 'manager'>

/**
 * The first launch of each token, and every pool, in the launchpads' logs. Logs that cannot be decoded, and launches in assets that
 * are not configured, are ignored.
 */
export function discoverContracts(
  contracts: ModuleContracts,
  creations: readonly Pick<Block, 'number' | 'logs'>[],
): { tokens: Map<string, Launch>; pools: (FoundPool & { launchpad: string })[] } {
  const tokens = new Map<string, Launch>()
  const pools: (FoundPool & { launchpad: string })[] = []
  const followed = findLaunchpads(contracts)
  const context = { shared: findShared(contracts) }
  for (const { number, logs } of creations) {
    for (const log of logs) {
      const launchpad = followed.get(log.address)
      if (launchpad === undefined || !isCreation(launchpad, log)) continue
      const since = { blockNumber: number, logIndex: log.logIndex }
      const { fact } = decodeCreation(launchpad, log, logs, context)
      const by = { launchpad: log.address }
      if (fact?.kind === 'create') {
        const quote = findQuote(fact.quoteToken, number, contracts)
        if (quote === undefined) continue
        const { creator, decimals = DEFAULT_DECIMALS } = fact
        const poolNative = isPoolNative(launchpad, fact)
        const terms = { ...describeCurve(fact.curve && inBaseUnits(fact.curve, quote)), quote, poolNative, decimals }
        keepEarlier(tokens, fact.token, { ...since, ...by, launchpadKind: launchpad.kind, creator, ...terms })
      }
      const opened = fact && findOpened(fact)
      if (opened) pools.push({ ...opened, token: fact.token, since, venue: launchpad.venue, ...by })
    }
  }
  return { tokens, pools }
}

const describeCurve = (curve: CurveTerms | null) => ({
  soldOutAt: String(curve === null ? 0n : curve.virtualToken - curve.saleSupply),
  virtualQuote: String(curve?.virtualQuote ?? 0n),
  virtualToken: String(curve?.virtualToken ?? 0n),
})

/** Only pools that are no contracts can hold the native coin itself. */
const isPoolNative = ({ venue }: Launchpad, { quoteToken }: LaunchFact): boolean =>
  venue.shared?.holdsPools === true && quoteToken === zeroAddress

function findOpened(fact: LaunchpadFact): Pick<FoundPool, 'address' | 'isDirect'> | undefined {
  if (fact.kind === 'graduate') return { address: fact.pool, isDirect: false }
  return fact.kind === 'create' && fact.pool !== null ? { address: fact.pool, isDirect: true } : undefined
}
