import t from 'tap'
import { createFeedApp } from '../../support/feeds/app.ts'
import type { FeedEvent } from '../../support/feeds/dex-feed.ts'
import { toTradeRow } from '../../support/market-rows.ts'
import {
  FINALIZED,
  type SimulatedToken,
  timeOf,
  WRAPPED_NATIVE,
  walletAddress,
} from '../../support/market-simulation.ts'
import { insertTrades } from '../../support/readable-rows.ts'

interface Failure {
  success: boolean
  error: string
}

const { app, db, tokens, ask } = await createFeedApp(t)

const bad: [url: string, status: number, error: string][] = [
  ['events', 400, 'query.fromBlock is required'],
  ['events?fromBlock=1', 400, 'query.toBlock is required'],
  ['events?fromBlock=-1&toBlock=2', 400, 'query.fromBlock must be >= 0'],
  ['events?fromBlock=a&toBlock=2', 400, 'query.fromBlock must be an integer'],
  ['events?fromBlock=1&toBlock=1e400', 400, 'query.toBlock must be <= 9007199254740991'],
  ['events?fromBlock=3&toBlock=2', 400, 'query.fromBlock must not be after query.toBlock'],
  [
    `events?fromBlock=1&toBlock=${FINALIZED + 1}`,
    400,
    `query.toBlock must not be after the latest block, ${FINALIZED}`,
  ],
  ['asset', 400, 'query.id is required'],
  ['asset?id=HCAT', 400, 'query.id must be a 0x-prefixed address of 20 bytes in hexadecimal'],
  [`asset?id=${walletAddress(1)}`, 404, `Asset ${walletAddress(1)} not found`],
  [`pair?id=${walletAddress(1)}`, 404, `Pair ${walletAddress(1)} not found`],
  [`pair?id=${WRAPPED_NATIVE}`, 404, `Pair ${WRAPPED_NATIVE} not found`],
]
for (const [url, status, error] of bad) {
  t.test(`${url} is ${status}, in the envelope`, async (t) => {
    t.same(await ask<Failure>(`dexscreener/${url}`), { status, body: { success: false, data: null, error } })
  })
}

t.test('too many blocks or events are rejected; a single block never is', async (t) => {
  const finalized = 50_000
  const state = { checkpoint_number: finalized, finalized_number: finalized, checkpoint_time: timeOf(finalized) }
  await db.updateTable('chain_state').set(state).execute()
  t.match(await ask<Failure>('dexscreener/events?fromBlock=20000&toBlock=30000'), {
    status: 400,
    body: { error: 'query.toBlock must select at most 10000 blocks from query.fromBlock' },
  })
  t.equal((await ask('dexscreener/events?fromBlock=20000&toBlock=29999')).status, 200)
  const row = toTradeRow((tokens[0] as SimulatedToken).trades[0] as SimulatedToken['trades'][number])
  for (let log = 0; log < 5_001; log += 500)
    await insertTrades(
      db,
      Array.from({ length: Math.min(500, 5_001 - log) }, (_, at) => ({
        ...row,
        block_number: 40_000,
        log_index: log + at,
      })),
    )
  t.match(await ask<Failure>('dexscreener/events?fromBlock=39999&toBlock=40000'), {
    status: 400,
    body: { error: 'query.toBlock selects more than 5000 events; request fewer blocks' },
  })
  const { body } = await ask<{ events: FeedEvent[] }>('dexscreener/events?fromBlock=40000&toBlock=40000')
  t.equal(body.events.length, 5_001)
  await db.deleteFrom('trades').where('block_number', '=', 40_000).execute()
})

t.test('while the indexer is behind the final block, the latest block is the indexed one', async (t) => {
  const checkpoint = 1_000
  await db.updateTable('chain_state').set({ checkpoint_number: checkpoint, checkpoint_time: 4_711 }).execute()
  const { body } = await ask('dexscreener/latest-block')
  t.same(body, { block: { blockNumber: checkpoint, blockTimestamp: 4_711 } })
})

t.test('before the first indexed block, the latest block is 503', async (t) => {
  await db.deleteFrom('chain_state').execute()
  const response = await app.inject('/integrations/dexscreener/latest-block')
  t.equal(response.statusCode, 503)
  t.equal(response.headers['retry-after'], '5')
  t.match(response.json(), { success: false, data: null, error: 'Failed checks: indexer' })
})
