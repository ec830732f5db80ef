import Fastify, { type FastifyInstance } from 'fastify'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { stringify } from 'yaml'
import { buildApp } from '../app.ts'
import { Chain } from '../chain/client.ts'
import { loadConfig } from '../config.ts'
import type { Database } from '../db/schema.ts'
import { openLiveBus } from '../features/live/live-bus.ts'
import { createMemoryCache } from '../lib/cache/cache-memory.ts'

/** The OpenAPI document in YAML. */
export const describeApi = (): Promise<string> => withApp(async (app) => toYaml(app.swagger()))

/** The AsyncAPI document in YAML: what the application serves. */
export const describeLive = (): Promise<string> =>
  withApp(async (app) => toYaml((await app.inject('/asyncapi.json')).json()))

// Quoted as YAML 1.1 needs it, or readers of that age take a time for a date object.
const toYaml = (document: unknown) =>
  stringify(document, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })

/**
 * Runs with the application as it describes itself. That depends on the routes alone: default configuration, and services
 * that are named but never opened, so that neither a database nor a chain nor a network is needed.
 */
async function withApp(read: (app: FastifyInstance) => Promise<string>): Promise<string> {
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const { log } = Fastify({ logger: { level: 'silent' } })
  const live = await openLiveBus({ db, redisUrl: null, log })
  const app = await buildApp(loadConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent' }), {
    db,
    cache: createMemoryCache(),
    chain: new Chain(['http://localhost']),
    getContracts: () => Promise.reject(new Error('There is no chain')),
    live,
    log,
  })
  await app.ready()
  try {
    return await read(app)
  } finally {
    await app.close()
    await live.close()
  }
}
