import type { FastifyInstance } from 'fastify'
import Fastify from 'fastify'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { buildApp } from '../../app.ts'
import { Chain } from '../../chain/rpc/client.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import type { Db } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'
import { openLiveBus } from '../../features/live/live-bus.ts'
import { connectContracts } from '../../indexer/contracts.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import type { Services } from '../../services.ts'
import './declared-reasons.ts'

/** URL of an unreachable node. */
export const NO_NODE = 'http://127.0.0.1:1'

/** Signs the tokens of tests, as name:secret. */
export const TEST_JWT_KEY = 'test:a-secret-of-tests-that-no-service-uses'

/** A configuration of a test: quiet, without a market, and with whatever variables the test is about. */
export const testConfig = (env: Record<string, string> = {}): Config =>
  loadConfig({
    NODE_ENV: 'test',
    JWT_KEYS: TEST_JWT_KEY,
    OG_PATIENCE_MS: '30000',
    LOG_LEVEL: 'silent',
    RATE_LIMITS: 'off',
    MAX_LOOP_DELAY_MS: '0',
    MARKET: 'off',
    WEB: 'off',
    MARKET_DATA_URL: NO_NODE,
    // Reads of metadata would come between what tests count.
    FETCH_METADATA: 'off',
    ...env,
  })

/** A database that returns no rows to any query, for tests that need no data. */
export const createEmptyDb = (): Db =>
  new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })

export interface TestApp {
  app: FastifyInstance
  services: Pick<Services, 'db' | 'cache' | 'chain' | 'getContracts' | 'live' | 'log'>
}

/**
 * The app as production builds it, with services of the test's own; those not given hold nothing: an empty database, a
 * cache of its own, a node that is down. `extend` adds routes before the app is ready. `cacheResponses` caches them as
 * production does; most tests write to the database without the app, which would not notice.
 */
export async function createTestApp(
  options: {
    config?: Config
    services?: Partial<Services>
    extend?: (app: FastifyInstance) => void
    cacheResponses?: boolean
  } = {},
): Promise<TestApp> {
  const { config: given = testConfig(), extend, cacheResponses = false } = options
  const config = cacheResponses ? given : Object.freeze({ ...given, responseCacheBytes: 0 })
  const opened = {
    db: createEmptyDb(),
    cache: createMemoryCache(),
    chain: new Chain(config.rpcUrls.length > 0 ? config.rpcUrls : [NO_NODE], { timeoutMs: 2_000, retries: 0 }),
    log: Fastify({ logger: { level: config.logLevel } }).log,
    ...options.services,
  }
  const services = {
    getContracts: connectContracts(opened.db, opened.chain, config),
    // Woken by what the app writes; one that looked by itself would be counted where queries are.
    // Answers are only cached while the outbox is read at least once a second.
    live:
      options.services?.live ??
      (await openLiveBus({ ...opened, redis: null, pollMs: cacheResponses ? 200 : 3_600_000 })),
    ...opened,
  }
  const app = await buildApp(config, services)
  app.addHook('onClose', () => services.live.close())
  extend?.(app)
  await app.ready()
  return { app, services }
}
