import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { createTestApp, testConfig } from './app.ts'
import { type Answer, createClient, headersOf } from './client.ts'
import { createTestDatabase } from './database.ts'
import { fillMarket } from './market-fixture.ts'
import { LAUNCHPAD, ROUTER, type SimulatedToken } from './market-simulation.ts'

/** The operator in tests of the market. */
export const ADMIN = `0xad31${'0'.repeat(36)}`

export interface MarketApp {
  app: FastifyInstance
  db: Db
  tokens: SimulatedToken[]
  /** Status and body of a GET, with data of type T (unchecked). Rejects responses that violate the API's document. */
  read: <T = unknown>(url: string, headers?: InjectOptions['headers']) => Promise<Answer<T>>
  /** The same of anything else, as a wallet if one is given. */
  send: <T = unknown>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    payload?: unknown,
    wallet?: string,
  ) => Promise<Answer<T>>
}

/** The app on a database that holds the simulated market, without a node, with whatever variables the test is about. */
export async function createMarketApp(t: Test, env: Record<string, string> = {}): Promise<MarketApp> {
  const { db } = await createTestDatabase(t)
  const tokens = await fillMarket(db)
  const deployments = [
    { kind: 'launchpad', address: LAUNCHPAD, startBlock: 1 },
    { kind: 'uniswap-router', address: ROUTER, startBlock: 1 },
  ]
  const config = testConfig({
    RATE_LIMITS: 'off',
    ADMIN_WALLETS: ADMIN,
    DEPLOYMENTS: JSON.stringify(deployments),
    ...env,
  })
  const { app } = await createTestApp({ config, services: { db } })
  t.teardown(() => app.close())
  const ask = createClient(app)
  return {
    app,
    db,
    tokens,
    read: (url, headers) => ask({ method: 'GET', url, ...(headers && { headers }) }),
    send: (method, url, payload, wallet) =>
      ask({
        ...{ method, url, headers: headersOf(app, wallet) },
        ...(payload !== undefined && { payload: payload as object }),
      }),
  }
}
