import type { Static } from '@sinclair/typebox'
import type { Interval } from '../../schemas/chart.ts'
import type { ExternalChart, Market as MarketSchema } from '../../schemas/market.ts'

export type { Interval }
export type Market = Static<typeof MarketSchema>
export type Candle = Static<typeof ExternalChart>['candles'][number]

/**
 * A third party that knows markets. Whatever it says has been checked and put into our form when it comes out of here.
 * Both methods reject with UPSTREAM_FAILED, carrying retryAfter where the other side asked to be left alone, or with
 * UPSTREAM_TIMEOUT. What stands before it (cache, coalescing, circuit breaker) is the same for all providers.
 */
export interface MarketProvider {
  /** As named in answers. */
  readonly name: string
  /** The chain, by the provider's name for it. */
  readonly network: string
  /** null for a token that the provider does not know. */
  getMarket(address: string): Promise<Market | null>
  /** Candles of a market in US dollars, ascending, without holes; none if there is no chart of it. */
  getCandles(market: Market, interval: Interval): Promise<Candle[]>
}

/** How error messages call whoever the provider is. */
export const SERVICE = 'market data provider'
