import type { MarketData } from '../../features/market-data/index.ts'
import type { CachedValue } from '../../lib/cache/stale-cache.ts'

/** Provider, fetch time and staleness of the data. */
export const describeSource = ({ source, network }: MarketData, { fetchedAt, stale }: CachedValue<unknown>) => ({
  network,
  source,
  fetchedAt: new Date(fetchedAt).toISOString(),
  stale,
})
