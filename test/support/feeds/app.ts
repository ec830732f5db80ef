import type { Test } from 'tap'
import { createMarketApp } from '../market-app.ts'
import { FINALIZED, timeOf } from '../market-simulation.ts'
import { insertBlocks } from '../readable-rows.ts'

/** The simulated market with its newest final block stored, as by the indexer, for feeds. */
export async function createFeedApp(t: Test) {
  const { app, db, tokens, read } = await createMarketApp(t)
  await insertBlocks(db, [{ number: FINALIZED, hash: '0xf1', time: timeOf(FINALIZED) }])
  const ask = async <T>(url: string) => {
    const { status, body } = await read(`/integrations/${url}`)
    return { status, body: body as unknown as T }
  }
  return { app, db, tokens, ask }
}
