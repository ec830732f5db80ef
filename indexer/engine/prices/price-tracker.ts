import { NATIVE_DECIMALS, parseUsd } from '../../../chain/amounts.ts'
import {
  type PoolReserves,
  PRICE_TOPICS,
  type PricedVenue,
  parseReserves,
  priceOfReserves,
  readReserves,
} from '../../../chain/feed/read-pool.ts'
import { StateUnavailableError } from '../../../chain/feed/read-price.ts'
import { type Log, parseLog } from '../../../chain/logs/log.ts'
import { findRate, powerOfTen, type QuoteAsset, type ReadPrices } from '../../../chain/rates.ts'
import type { Chain } from '../../../chain/rpc/client.ts'
import type { Contracts } from '../contracts.ts'
import { FeedTracker } from './feed-tracker.ts'
import { readPriceAt } from './read-price.ts'

/** Prices at the end of a block. */
export interface Prices {
  /** US dollars for one native coin, USD_DECIMALS decimals; null if unknown. */
  nativeUsd: bigint | null
  /** Those of other quote assets that are read from the chain; null if none is. */
  quotePrices: ReadPrices | null
}

type PricedContracts = Pick<Contracts, 'feed' | 'quotes' | 'wrappedNative'>

/** A pool that is the route of an asset. */
interface PricedPool {
  asset: QuoteAsset
  pool: string
  venue: PricedVenue
  /** 'native', or the address of the other asset. */
  base: string
  baseDecimals: number
  /** Whether the asset is the pool's token0. */
  isFirst: boolean
  minLiquidityUsd: bigint
  reserves: PoolReserves | null
}

/** Blocks that are searched for the last log of a pool whose state is pruned. */
const SEARCHED_BLOCKS = 100_000

/** The prices of the native coin and of the quote assets from block to block, by the logs of feeds and pools. */
export class PriceTracker {
  readonly #contracts: PricedContracts
  readonly #native: FeedTracker
  /** The feeds, by asset. */
  readonly #feeds: ReadonlyMap<string, FeedTracker>
  /** A pool whose other asset has a pool follows that one. */
  readonly #pools: readonly PricedPool[]
  #prices: Prices

  private constructor(
    contracts: PricedContracts,
    native: FeedTracker,
    feeds: ReadonlyMap<string, FeedTracker>,
    pools: readonly PricedPool[],
  ) {
    this.#contracts = contracts
    this.#native = native
    this.#feeds = feeds
    this.#pools = pools
    this.#prices = this.#compute()
  }

  /** Begins with the prices at the end of a block. `now`: a clock in milliseconds. Rejects if the node fails. */
  static async open(chain: Chain, contracts: PricedContracts, after: number, now: () => number): Promise<PriceTracker> {
    const native = await FeedTracker.open(chain, contracts.feed, after, now)
    const feeds = new Map<string, FeedTracker>()
    for (const { address, route } of contracts.quotes.values())
      if ('feed' in route) feeds.set(address, await FeedTracker.open(chain, route.feed, after, now))
    const pools = listPools(contracts)
    for (const pool of pools) pool.reserves = await readReservesAt(chain, pool, Math.max(after, 0))
    return new PriceTracker(contracts, native, feeds, pools)
  }

  /** The contracts whose AnswerUpdated counts. */
  get emitters(): ReadonlySet<string> {
    if (this.#feeds.size === 0) return this.#native.emitters
    return new Set([this.#native, ...this.#feeds.values()].flatMap(({ emitters }) => [...emitters]))
  }

  /** The pools whose logs are prices. */
  get pools(): readonly string[] {
    return this.#pools.map(({ pool }) => pool)
  }

  /** The prices after the last block. */
  get prices(): Prices {
    return this.#prices
  }

  /** See FeedTracker. */
  async refresh(reached: number): Promise<void> {
    for (const feed of [this.#native, ...this.#feeds.values()]) await feed.refresh(reached)
    this.#prices = this.#compute()
  }

  /** Whether a log is a price of the native coin. */
  isAnswer(log: Log): boolean {
    return this.#native.isAnswer(log)
  }

  /** The prices after the next block, whose logs are given in their order. */
  advance(logs: readonly Log[]): Prices {
    this.#native.advance(logs)
    for (const feed of this.#feeds.values()) feed.advance(logs)
    for (const pool of this.#pools) {
      const last = logs.findLast(({ address, topic0 }) => address === pool.pool && topic0 === PRICE_TOPICS[pool.venue])
      if (last) pool.reserves = parseReserves(pool.venue, last)
    }
    this.#prices = this.#compute()
    return this.#prices
  }

  #compute(): Prices {
    const feeds = [...this.#feeds].map(([asset, { nativeUsd: usd }]) => [asset, usd] as const)
    return computePrices(this.#contracts, { nativeUsd: this.#native.nativeUsd, feeds, pools: this.#pools })
  }
}

interface Read {
  nativeUsd: bigint | null
  /** The price of each feed, by asset. */
  feeds: readonly (readonly [string, bigint | null])[]
  pools: readonly PricedPool[]
}

function computePrices({ quotes }: PricedContracts, { nativeUsd, feeds, pools }: Read): Prices {
  if (feeds.length === 0 && pools.length === 0) return { nativeUsd, quotePrices: null }
  const quotePrices: Record<string, string> = {}
  for (const [asset, usd] of feeds) if (usd !== null) quotePrices[asset] = String(usd)
  for (const pool of pools) {
    const price = priceOf(pool, quotes, { nativeUsd, quotePrices })
    if (price !== null) quotePrices[pool.asset.address] = String(price)
  }
  return { nativeUsd, quotePrices }
}

/** null if the pool is empty, or holds less than it must, or its other asset has no price. */
function priceOf(
  { asset, base, baseDecimals, isFirst, minLiquidityUsd, reserves }: PricedPool,
  quotes: ReadonlyMap<string, QuoteAsset>,
  prices: Prices,
): bigint | null {
  if (reserves === null) return null
  const [own, other] = isFirst ? [reserves.zero, reserves.one] : [reserves.one, reserves.zero]
  const usd = base === 'native' ? prices.nativeUsd : findRate(base, quotes, prices).usd
  if (minLiquidityUsd > 0n && (usd === null || (2n * other * usd) / powerOfTen(baseDecimals) < minLiquidityUsd))
    return null
  return priceOfReserves({ reserve: own, decimals: asset.decimals }, { reserve: other, decimals: baseDecimals })
}

/** The pools of routes, each after that of its other asset. */
function listPools({ quotes, wrappedNative }: PricedContracts): PricedPool[] {
  const pools = [...quotes.values()].flatMap((asset): PricedPool[] => {
    const { route } = asset
    if (!('pool' in route)) return []
    const base = route.quote
    const other = base === 'native' ? wrappedNative : base
    return [
      {
        ...{ asset, pool: route.pool, venue: route.venue, base, reserves: null },
        baseDecimals: base === 'native' ? NATIVE_DECIMALS : (quotes.get(base)?.decimals ?? NATIVE_DECIMALS),
        isFirst: BigInt(asset.address) < BigInt(other),
        minLiquidityUsd: parseUsd(route.minLiquidityUsd),
      },
    ]
  })
  const byAsset = new Map(pools.map((pool) => [pool.asset.address, pool]))
  const depth = ({ base }: PricedPool): number => {
    const next = byAsset.get(base)
    return next === undefined ? 0 : depth(next) + 1
  }
  return pools.sort((a, b) => depth(a) - depth(b))
}

/** If no node has the state of the block, the reserves are those of the last log before it. */
async function readReservesAt(chain: Chain, pool: PricedPool, block: number): Promise<PoolReserves | null> {
  try {
    return await readReserves(chain, pool, block)
  } catch (error) {
    if (!(error instanceof StateUnavailableError)) throw error
    const range = { from: Math.max(0, block - SEARCHED_BLOCKS), to: block }
    const logs = await chain.getLogs({ address: [pool.pool], topics: [PRICE_TOPICS[pool.venue]], range })
    const last = logs
      .toSorted((a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex))
      .at(-1)
    return last ? parseReserves(pool.venue, parseLog(last)) : null
  }
}

/** The prices at the end of a block, read from its state. */
export async function readPricesAt(chain: Chain, contracts: PricedContracts, block: number): Promise<Prices> {
  const pools = listPools(contracts)
  const [nativeUsd, feeds] = await Promise.all([
    readPriceAt(chain, contracts.feed, block),
    Promise.all(
      [...contracts.quotes.values()].flatMap(({ address, route }) =>
        'feed' in route ? [readPriceAt(chain, route.feed, block).then((usd) => [address, usd] as const)] : [],
      ),
    ),
    ...pools.map(async (pool) => {
      pool.reserves = await readReservesAt(chain, pool, block)
    }),
  ])
  return computePrices(contracts, { nativeUsd, feeds, pools })
}
