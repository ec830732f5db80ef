import type { Test } from 'tap'
import { createMarketApp } from '../market-app.ts'
import { FINALIZED, timeOf } from '../market-simulation.ts'

/** The simulated market with its newest final block stored, as by the indexer, for feeds. */
export async function createFeedApp(t: Test) {
  const { app, db, tokens, read } = await createMarketApp(t)
  await db
    .insertInto('blocks')
    .values({ number: FINALIZED, hash: '0xf1', time: timeOf(FINALIZED) })
    .execute()
  const ask = async <T>(url: string) => {
    const { status, body } = await read(`/integrations/${url}`)
    return { status, body: body as unknown as T }
  }
  return { app, db, tokens, ask }
}
