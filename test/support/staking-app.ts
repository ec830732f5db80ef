import type { InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { Hex } from 'viem'
import { prepareChainState } from '../../indexer/contracts.ts'
import type { StakingAct } from '../../schemas/staking.ts'
import { createTestApp, testConfig } from './app.ts'
import { startChain } from './chain-fixture.ts'
import { createConformityCheck } from './conformity.ts'
import { createTestDatabase } from './database.ts'
import type { Answer } from './market-app.ts'

export const mounts = ['', '/api'] as const

/** The app on a chain that mines when told to, and on a database that an indexer has yet to fill. */
export async function createStakingApp(t: Test) {
  const test = await startChain(t)
  const { chain, contracts, environment } = test
  const { db } = await createTestDatabase(t)
  const config = testConfig({ ...environment, RATE_LIMITS: 'off' })
  await prepareChainState(db, chain, contracts, config)
  const { app } = await createTestApp({ config, services: { db, chain, getContracts: async () => contracts } })
  t.teardown(() => app.close())
  const check = createConformityCheck(app)
  const headersOf = (wallet?: string) => (wallet ? { authorization: `Bearer ${app.issueToken(wallet)}` } : {})
  const ask = async <T>(options: InjectOptions & { method: 'GET' | 'POST'; url: string }): Promise<Answer<T>> => {
    const response = await app.inject(options)
    const [status, body] = [response.statusCode, response.json()]
    const problem = check({ method: options.method, url: options.url, status, body })
    if (problem !== null) throw new Error(`${options.method} ${options.url}: ${problem}`)
    return { status, body }
  }
  return {
    ...test,
    test,
    db,
    app,
    ask,
    /** A GET, as a wallet if one is given. Rejects what the API's document does not allow. */
    read: <T>(url: string, wallet?: string) => ask<T>({ method: 'GET', url, headers: headersOf(wallet) }),
    /** A receipt sync. */
    sync: <T>(act: StakingAct, txHash: Hex | string, wallet?: string, mount: string = '') =>
      ask<T>({ method: 'POST', url: `${mount}/staking/${act}`, headers: headersOf(wallet), payload: { txHash } }),
  }
}
