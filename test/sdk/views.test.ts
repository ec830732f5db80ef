import t from 'tap'
import { WebSocket } from 'ws'
import { connect, createClient, listTokens } from '../../sdk/src/index.ts'
import { subscribeView, type View, type ViewUpdate } from '../../sdk/src/views/index.ts'
import { createMarketApp } from '../support/market-app.ts'
import { addTokens, changeAtRandom } from '../support/screener/random-figures.ts'
import { createRandom } from '../support/seeded-random.ts'
import { listenForSockets } from '../support/sockets.ts'
import { reachLastCommit } from '../support/views/view-client.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

/* The SDK's lists of views, over sockets that break. */
t.setTimeout(400_000)

const market = await createMarketApp(t)
const random = createRandom(3)
const ids = await market.db.transaction().execute((trx) => addTokens(trx, random, 80))
const { host } = await listenForSockets(t, market.app)
const client = createClient({ baseUrl: `http://${host}` })
const sockets: WebSocket[] = []
class BreakableSocket extends WebSocket {
  constructor(url: string) {
    super(url)
    sockets.push(this)
  }
}
const open = () => {
  const live = connect(client, { WebSocket: BreakableSocket, minDelayMs: 1, maxDelayMs: 20 })
  t.teardown(() => live.close())
  return live
}
const commit = async () => {
  await market.db.transaction().execute((trx) => changeAtRandom(trx, random, ids))
  await reachLastCommit(market.app, market.db)
}

t.test('lists are those of the API after every reconnection, two of one view as well', async (t) => {
  const live = open()
  const volume: View = { sort: 'volume', filter: { minHolders: 5 }, limit: 30 }
  const views: View[] = [
    'new',
    'graduating',
    volume,
    { ...volume },
    { filter: { status: 'graduated' }, sort: 'graduated' },
    { sort: 'volume', direction: 'asc' },
  ]
  const queries = [
    { sort: 'newest', limit: 20 },
    { sort: 'curve', minProgressPct: 70, limit: 20 },
    { sort: 'volume', minHolders: 5, limit: 30 },
    { sort: 'volume', minHolders: 5, limit: 30 },
    { sort: 'graduated', limit: 20 },
    { sort: 'volume', direction: 'asc', limit: 20 },
  ] as const
  const updates: ViewUpdate[] = []
  const ends = views.map((view, index) =>
    subscribeView(live, view, (update) => {
      updates[index] = update
    }),
  )
  for (let turn = 0; turn < 15; turn++) {
    await commit()
    if (turn % 3 === 1) {
      sockets.at(-1)!.terminate()
      await commit()
    }
    for (const [index, query] of queries.entries()) {
      const { items } = await listTokens(client, { query })
      const shown = () => {
        const update = updates[index]
        return update?.type === 'tokens' ? JSON.stringify(update.tokens) : update?.type
      }
      await waitUntil(`view ${index} is the list, turn ${turn}`, () => shown() === JSON.stringify(items))
    }
  }
  t.ok(sockets.length > 4)
  t.equal(live.seq, undefined, 'the seq of a view is none of the service')
  const roomsOf = () => market.app.sockets.hub.counts().channels
  t.equal(roomsOf(), 5)
  ends[2]!()
  subscribeView(live, 'graduated', () => t.fail('it was left at once'))()
  await commit()
  const { items } = await listTokens(client, { query: queries[3] })
  await waitUntil('the other one of the view goes on', () => JSON.stringify(updates[3]).includes(JSON.stringify(items)))
  t.equal(roomsOf(), 5)
  for (const index of [0, 1, 3, 4, 5]) ends[index]!()
  await waitUntil('all are left', () => roomsOf() === 0)
})

t.test('a view that the service refuses says why', async (t) => {
  const live = open()
  const refused = await new Promise<ViewUpdate>((resolve) => {
    subscribeView(live, { filter: { minHolders: -1 } }, resolve)
  })
  t.match(refused, { type: 'refused', code: 'BAD_MESSAGE', message: /message.filter.minHolders/ })
})
