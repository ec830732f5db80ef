import type { RpcLog } from '../chain/logs/log.ts'
import type { Chain } from '../chain/rpc/client.ts'
import type { AuditedContracts } from './audited-contracts.ts'
import { FeedOracle } from './feed-oracle.ts'
import { PoolPriceOracle } from './pool-price-oracle.ts'
import { type AuditedQuotes, BlockWorth } from './rates.ts'

interface StoredPrices {
  quote_usd: string | null
  quote_prices: string | null
}

/** The prices at a block. */
interface ExpectedPrices {
  nativeUsd: bigint | null
  /** The prices of quote assets that have a feed or a pool. */
  read: Map<string, bigint>
}

/** The prices of the native coin and of the quote assets, by the logs of feeds and pools. */
export class PriceOracle {
  static readonly none = new PriceOracle(new Map(), FeedOracle.none, new Map(), new Map())

  readonly #quotes: AuditedQuotes
  readonly #native: FeedOracle
  readonly #feeds: ReadonlyMap<string, FeedOracle>
  readonly #pools: ReadonlyMap<string, PoolPriceOracle>

  private constructor(
    quotes: AuditedQuotes,
    native: FeedOracle,
    feeds: ReadonlyMap<string, FeedOracle>,
    pools: ReadonlyMap<string, PoolPriceOracle>,
  ) {
    this.#quotes = quotes
    this.#native = native
    this.#feeds = feeds
    this.#pools = pools
  }

  /** Begins with the prices at the end of a block. */
  static async open(
    chain: Chain,
    { feed, quotes, wrappedNative }: AuditedContracts,
    block: number,
  ): Promise<PriceOracle> {
    const openFeed = async (address: string | null) =>
      address === null ? FeedOracle.none : FeedOracle.open(chain, address, block)
    const feeds = new Map<string, FeedOracle>()
    const pools = new Map<string, PoolPriceOracle>()
    for (const quote of quotes.values()) {
      if ('feed' in quote.route) feeds.set(quote.address, await openFeed(quote.route.feed))
      if ('pool' in quote.route) pools.set(quote.address, new PoolPriceOracle(quote, quotes, wrappedNative))
    }
    return new PriceOracle(quotes, await openFeed(feed), feeds, pools)
  }

  get emitters(): string[] {
    return [this.#native, ...this.#feeds.values()].flatMap(({ emitters }) => [...emitters])
  }

  /** The pools whose logs are prices. */
  get pools(): string[] {
    return [...this.#quotes.values()].flatMap(({ route }) => ('pool' in route ? [route.pool] : []))
  }

  /** Give logs in their order. */
  add(log: RpcLog, time: number): void {
    for (const feed of [this.#native, ...this.#feeds.values()]) feed.add(log, time)
    for (const pool of this.#pools.values()) pool.add(log)
  }

  /** The prices after the logs added so far. stored: those in the database, which count until a log has others. */
  expect(stored: StoredPrices | undefined, time: number): ExpectedPrices {
    const known = new Map(
      Object.entries(JSON.parse(stored?.quote_prices ?? '{}') as Record<string, string>).map(
        ([asset, price]) => [asset, BigInt(price)] as const,
      ),
    )
    const storedUsd = stored?.quote_usd ?? null
    const nativeUsd = this.#native.expectPrice(storedUsd === null ? null : BigInt(storedUsd.replace('.', '')), time)
    const read = new Map<string, bigint>()
    const put = (asset: string, price: bigint | null) => price !== null && read.set(asset, price)
    for (const [asset, feed] of this.#feeds) put(asset, feed.expectPrice(known.get(asset) ?? null, time))
    const open = new Map(this.#pools)
    // A pool whose other asset has a pool is asked after that one.
    while (open.size > 0) {
      const next = [...open.keys()].find((asset) => !open.has(this.#baseOf(asset)))!
      const worth = (asset: string | null) =>
        asset === null ? nativeUsd : new BlockWorth(this.#quotes, { nativeUsd, read }).of(this.#quotes.get(asset)!).usd
      const price = open.get(next)!.expect(worth)
      put(next, price === undefined ? (known.get(next) ?? null) : price)
      open.delete(next)
    }
    return { nativeUsd, read }
  }

  #baseOf(asset: string): string {
    const route = this.#quotes.get(asset)?.route
    return route && 'pool' in route ? route.quote : ''
  }
}
