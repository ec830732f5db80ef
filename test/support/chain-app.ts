import type { Test } from 'tap'
import { resolveContracts } from '../../indexer/contracts.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { createTestApp, testConfig } from './app.ts'
import { startChain, type TestChain } from './chain-fixture.ts'
import { createClient, headersOf } from './client.ts'
import { createTestDatabase } from './database.ts'
import { ADMIN, LABS } from './people.ts'

/**
 * The app on a chain that mines on request, and a database without indexed blocks. extend: deploys more contracts before, and returns
 * the environment with them.
 */
export async function createChainApp(
  t: Test,
  env: Record<string, string> = {},
  extend: (test: TestChain) => Promise<Record<string, string>> = async ({ environment }) => environment,
) {
  const started = await startChain(t)
  const environment = await extend(started)
  const { chain } = started
  const contracts = await resolveContracts(chain, testConfig(environment))
  const test = { ...started, environment, contracts, config: testConfig(environment) }
  const { db } = await createTestDatabase(t)
  const config = testConfig({ ...environment, RATE_LIMITS: 'off', ADMIN_WALLETS: ADMIN, LABS_WALLETS: LABS, ...env })
  await prepareChainState(db, chain, contracts, config)
  const { app } = await createTestApp({ config, services: { db, chain, getContracts: async () => contracts } })
  t.teardown(() => app.close())
  const ask = createClient(app)
  return {
    ...test,
    test,
    db,
    app,
    ask,
    /** A GET, as a wallet if one is given. */
    read: <T>(url: string, wallet?: string) => ask<T>({ method: 'GET', url, headers: headersOf(app, wallet) }),
    /** A receipt sync, or another write. */
    post: <T>(url: string, payload: object, wallet?: string) =>
      ask<T>({ method: 'POST', url, headers: headersOf(app, wallet), payload }),
  }
}
