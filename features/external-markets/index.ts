import fp from 'fastify-plugin'
import type { Config } from '../../config/config.ts'
import { AppError, isAppError } from '../../errors.ts'
import { type CachedValue, createStaleCache } from '../../lib/cache/stale-cache.ts'
import { createCircuitBreaker } from '../../lib/concurrency/circuit-breaker.ts'
import { createHttpClient } from '../../lib/http/http-client.ts'
import { createGeckoTerminal } from './gecko-terminal.ts'
import { findNetwork } from './networks.ts'
import { type Candle, type Interval, type Market, type MarketProvider, SERVICE } from './provider.ts'

export interface ExternalMarkets {
  /** The provider and its name of the chain, as in responses. */
  readonly source: string
  readonly network: string
  /** The value is null for a token unknown to the provider. Rejects with UPSTREAM_FAILED or UPSTREAM_TIMEOUT. */
  getMarket(address: string): Promise<CachedValue<Market | null>>
  getCandles(address: string, interval: Interval): Promise<CachedValue<Candle[] | null>>
}

declare module 'fastify' {
  interface FastifyInstance {
    externalMarkets: ExternalMarkets
  }
}

const FAILURES_TO_OPEN = 5
const COOLDOWN_MS = 30_000

/**
 * Decorates the app with `externalMarkets`: a third party's market data behind a circuit breaker and a cache, which all
 * mounts share and, with Redis, all processes.
 */
export default fp<{ config: Pick<Config, 'externalMarkets' | 'chainId'> }>(
  async (app, { config: { externalMarkets: config, chainId } }) => {
    const http = createHttpClient({ maxSockets: 8 })
    const network = config.network ?? findNetwork(chainId)
    const provider = network === null ? emptyProvider : createGeckoTerminal({ ...config, network, http })
    const breaker = createCircuitBreaker({
      failureThreshold: FAILURES_TO_OPEN,
      cooldownMs: COOLDOWN_MS,
      onOpen: () =>
        app.log.warn({ provider: provider.name }, 'The market data provider fails; requests to it are paused'),
    })
    app.metrics.gauge(
      'market_data_circuit_open',
      '1 while requests to the market data provider are paused after failures',
      () => (breaker.state() === 'closed' ? 0 : 1),
    )
    const kept = createStaleCache({
      cache: app.cache,
      freshSeconds: config.freshSeconds,
      staleSeconds: config.staleSeconds,
      onError: (error) => app.log.debug({ err: error }, 'Market data could not be fetched or kept'),
    })

    const guard = async <T>(ask: () => Promise<T>): Promise<T> => {
      const waitMs = breaker.acquire()
      if (waitMs > 0) throw new AppError('UPSTREAM_FAILED', { service: SERVICE }, { retryAfter: waitMs / 1000 })
      try {
        const answer = await ask()
        breaker.recordSuccess()
        return answer
      } catch (error) {
        breaker.recordFailure(isAppError(error) && error.retryAfter !== undefined ? error.retryAfter * 1000 : undefined)
        throw error
      }
    }

    const getMarket = (address: string) =>
      kept.read(`market:${provider.network}:${address}`, () => guard(() => provider.getMarket(address)))
    app.decorate('externalMarkets', {
      source: provider.name,
      network: provider.network,
      getMarket,
      getCandles: (address, interval) =>
        kept.read(`market-chart:${provider.network}:${address}:${interval}`, async () => {
          const { value: market } = await getMarket(address)
          return market && guard(() => provider.getCandles(market, interval))
        }),
    })
    app.addHook('onClose', async () => http.close())
  },
  { name: 'market-data', dependencies: ['cache', 'metrics'] },
)

/** For chains that the provider does not cover. */
const emptyProvider: MarketProvider = {
  name: 'none',
  network: 'none',
  getMarket: async () => null,
  getCandles: async () => [],
}
