import type { ExternalMarkets } from '../../features/external-markets/index.ts'
import type { CachedValue } from '../../lib/cache/stale-cache.ts'

/** Provider, fetch time and staleness of the data. */
export const describeSource = ({ source, network }: ExternalMarkets, { fetchedAt, stale }: CachedValue<unknown>) => ({
  network,
  source,
  fetchedAt: new Date(fetchedAt).toISOString(),
  stale,
})
