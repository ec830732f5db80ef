import type { Static } from '@sinclair/typebox'
import type { Interval } from '../../schemas/chart.ts'
import type { ExternalChart, Market as MarketSchema } from '../../schemas/external-markets.ts'

export type { Interval }
export type Market = Static<typeof MarketSchema>
export type Candle = Static<typeof ExternalChart>['candles'][number]

/**
 * A third-party source of market data, which validates and converts its responses. Both methods reject with
 * UPSTREAM_TIMEOUT, or UPSTREAM_FAILED (with retryAfter when rate-limited). Cache, coalescing and circuit breaker are
 * in index.ts.
 */
export interface MarketProvider {
  /** The name of the provider in responses. */
  readonly name: string
  /** The provider's name of the chain. */
  readonly network: string
  /** null for a token unknown to the provider. */
  getMarket(address: string): Promise<Market | null>
  /** Candles in US dollars, ascending, without gaps; empty if there is no chart. */
  getCandles(market: Market, interval: Interval): Promise<Candle[]>
}

/** Name of the provider in error messages, whichever is configured. */
export const SERVICE = 'market data provider'
