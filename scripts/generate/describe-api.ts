import Fastify, { type FastifyInstance } from 'fastify'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { buildApp } from '../../app.ts'
import { Chain } from '../../chain/rpc/client.ts'
import { loadConfig } from '../../config/config.ts'
import type { Database } from '../../db/schema.ts'
import { openLiveBus } from '../../features/live/live-bus.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import { writeYaml } from '../../lib/json/write-yaml.ts'

/** The OpenAPI document in YAML. */
export const describeApi = (): Promise<string> => withApp(async (app) => writeYaml(app.swagger()))

/** The AsyncAPI document in YAML, as served by the application. */
export const describeLive = (): Promise<string> =>
  withApp(async (app) => writeYaml((await app.inject('/asyncapi.json')).json()))

/**
 * Runs `read` with an application whose services are never opened: the documents depend on the routes alone, so no
 * database, chain or network is needed.
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
  const live = await openLiveBus({ db, redis: null, log })
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
