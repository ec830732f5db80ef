import type { Static } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import { openLiveBus } from '../../../features/live/live-bus.ts'
import type { TokenPage } from '../../../schemas/tokens.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { creatorOf } from '../../support/market-simulation.ts'
import { makeQuery, readFigures, toSamples } from '../../support/screener/naive-filter.ts'
import { addTokens, changeAtRandom } from '../../support/screener/random-figures.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { createSocketApp, listenForSockets, type Received } from '../../support/sockets.ts'
import { reachLastCommit, ViewClient } from '../../support/views/view-client.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'

/* Live views over the socket, on a database that changes at random. SEED=n repeats a run with another seed. */
t.setTimeout(400_000)

const SEED = Number(process.env.SEED ?? 1)
const TOKENS = 120
const COMMITS = 30
const CLIENTS = 10

type Page = Static<typeof TokenPage>
type Market = Awaited<ReturnType<typeof openMarket>>

async function openMarket(t: Test, env: Record<string, string> = {}) {
  const market = await createMarketApp(t, env)
  const random = createRandom(SEED)
  const ids = await market.db.transaction().execute((trx) => addTokens(trx, random, TOKENS))
  const { connect } = await listenForSockets(t, market.app)
  const commit = async () => {
    await market.db.transaction().execute((trx) => changeAtRandom(trx, random, ids))
    await reachLastCommit(market.app, market.db)
  }
  return { ...market, random, connect, commit }
}

/** The tokens that a filtered list has. */
async function readList({ read }: Pick<Market, 'read'>, query: Record<string, string>) {
  const { status, body } = await read<Page>(`/tokens?${new URLSearchParams({ limit: '20', ...query })}`)
  if (status !== 200) throw new Error(`GET /tokens answered ${status}`)
  return body.data.items
}

/** A query of the token list as a subscribe message has it. */
function toMessage({ sort, direction, ...query }: Record<string, string>, limit = 20) {
  const filter = Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      if (name === 'hasLinks' || name === 'featured') return [name, value === 'true']
      return [name, /^(min|max)/.test(name) ? Number(value) : value]
    }),
  )
  return { room: 'view', filter, ...(sort && { sort }), ...(direction && { direction }), limit }
}

const named = {
  'view:new': { sort: 'newest' },
  'view:graduating': { sort: 'curve', minProgressPct: '70' },
  'view:graduated': { sort: 'graduated' },
}

t.test(
  `views are the filtered lists after every commit, also for clients that are cut off (SEED=${SEED})`,
  async (t) => {
    const market = await openMarket(t)
    const { random, commit, connect, app } = market
    const samples = toSamples(await readFigures(market.db))
    const queries = [
      ...Object.entries(named).map(([room, query]) => ({ message: { room }, query })),
      ...Array.from({ length: CLIENTS - 3 }, () => {
        const query = makeQuery(random, samples, [creatorOf(0), creatorOf(1)])
        return { message: toMessage(query), query }
      }),
    ]
    const open = async () => new ViewClient(await connect())
    const clients: ViewClient[] = []
    for (const { message } of queries) {
      const client = await open()
      t.match(await client.subscribe({ ...message, id: 7 }), { type: 'subscribed', id: 7, room: /^view:/ })
      clients.push(client)
    }
    let [resumed, gaps, events] = [0, 0, 0]
    for (let turn = 0; turn < COMMITS; turn++) {
      const away = random(CLIENTS)
      await commit()
      if (random(2) === 0) await commit()
      for (const [index, client] of clients.entries()) {
        const { message, query } = queries[index]!
        let current = client
        if (index === away) {
          // It has not read the last events.
          current = await open()
          current.list.tokens = client.list.tokens
          const answer = await current.subscribe({ ...message, since: client.list.seq })
          if (answer.type === 'subscribed') resumed++
          else {
            gaps++
            t.match(answer, { type: 'error', code: 'REPLAY_GAP' })
            await current.subscribe(message)
          }
          clients[index] = current
        }
        await current.read()
        events += current.messages.length
        const { tokens, problems } = current.list
        t.strictSame(tokens, await readList(market, query), `commit ${turn}: ${JSON.stringify(message)}`)
        t.strictSame(problems, [])
      }
    }
    t.comment({ resumed, gaps, events, views: app.views.size })
    t.ok(resumed > COMMITS / 2 && events > COMMITS)
  },
)

t.test('equal filters share a view, and each event has the next seq', async (t) => {
  const market = await openMarket(t)
  const [first, second] = [await market.connect(), await market.connect()]
  const a = await first.ask({
    ...{ type: 'subscribe', room: 'view', sort: 'curve', limit: 100 },
    filter: { minProgressPct: 10, status: 'completed,curve', launchpad: 'nad-fun,slipway' },
  })
  const b = await second.ask({
    ...{ type: 'subscribe', limit: 100, sort: 'curve', room: 'view' },
    filter: { launchpad: 'slipway,nad-fun,slipway', minProgressPct: 10 },
  })
  t.match(a.room, /^view:[0-9a-f]{32}$/)
  t.equal(b.room, a.room)
  t.equal((await second.ask({ type: 'subscribe', room: a.room!.toUpperCase().replace('VIEW', 'view') })).room, a.room)
  const graduating = { type: 'subscribe', room: 'view', sort: 'curve', filter: { minProgressPct: 70 } }
  t.equal((await first.ask(graduating)).room, 'view:graduating', 'the filter of a named view is that view')
  t.equal(market.app.views.size, 2)
  for (let left = 10; left > 0; left--) await market.commit()
  const events = (await first.untilPong()).filter(({ room }) => room === a.room)
  t.ok(events.length > 5)
  const seqs = [a.seq!, ...events.map(({ seq }) => seq!)]
  t.strictSame(
    seqs,
    [...new Set(seqs)].sort((one, other) => one - other),
  )
  t.strictSame(
    (await second.untilPong()).filter(({ room }) => room === a.room),
    events,
  )
  t.strictSame([...first.problems, ...second.problems], [])
})

t.test('the snapshots of a socket are bounded by their bytes, and its subscription stays', async (t) => {
  const market = await openMarket(t)
  const client = await market.connect()
  const subscribe = async () =>
    (await client.ask({ type: 'subscribe', room: 'view', sort: 'newest', limit: 100 })) as Received & {
      snapshot?: unknown[]
    }
  let [answer, bytes] = [await subscribe(), 0]
  for (let times = 0; answer.type === 'subscribed' && times < 100; times++) {
    bytes += JSON.stringify(answer.snapshot).length
    answer = await subscribe()
  }
  t.match(answer, { type: 'error', code: 'RATE_LIMITED', message: 'Too many snapshots for this socket; wait a minute' })
  t.ok(bytes > 1024 * 1024 && bytes < 2 * 1024 * 1024, `${bytes} bytes`)
  let hasEvent = false
  // A commit at random may change no token of the view.
  for (let left = 30; left > 0 && !hasEvent; left--) {
    await market.commit()
    hasEvent = (await client.untilPong()).some(({ type }) => type.startsWith('view.'))
  }
  t.ok(hasEvent, 'its events continue')
  const other = await market.connect()
  t.match(await other.ask({ type: 'subscribe', room: 'view:new' }), { type: 'subscribed' }, 'others are not affected')
})

t.test('so are the events that a socket has missed', async (t) => {
  const market = await openMarket(t)
  const { seq: since } = await (await market.connect()).ask({
    type: 'subscribe',
    room: 'view',
    sort: 'newest',
    limit: 100,
  })
  for (let left = 60; left > 0; left--) await market.commit()
  const client = await market.connect()
  const answers: Received[] = []
  let bytes = 0
  while (bytes < 3 * 1024 * 1024 && answers.every(({ type }) => type !== 'error')) {
    const { length } = answers
    client.send({ type: 'subscribe', room: 'view', sort: 'newest', limit: 100, since })
    answers.push(...(await client.untilPong()))
    bytes += JSON.stringify(answers.slice(length)).length
  }
  t.match(answers.at(-1), { code: 'RATE_LIMITED', message: 'Too many snapshots for this socket; wait a minute' })
})

t.test('a filter that is not valid names its field', async (t) => {
  const { connect } = await openMarket(t)
  const client = await connect()
  const cases: [object, string | RegExp][] = [
    [{ room: 'view', filter: { minHolders: -1 } }, 'message.filter.minHolders must be >= 0'],
    [{ room: 'view', filter: { minHolders: '1' } }, 'message.filter.minHolders must be an integer'],
    [{ room: 'view', filter: { minVolumeUsd: 1 } }, 'message.filter.minVolumeUsd is not a known field'],
    [
      { room: 'view', filter: { minHolders: 3, maxHolders: 2 } },
      'message.filter.minHolders must not be above message.filter.maxHolders',
    ],
    [{ room: 'view', filter: { status: 'gone' } }, /message.filter.status must be a comma-separated list/],
    [{ room: 'view', filter: { creator: '0x1' } }, /message.filter.creator must be/],
    [{ room: 'view', filter: [] }, 'message.filter must be an object'],
    [{ room: 'view', limit: 101 }, 'message.limit must be <= 100'],
    [{ room: 'view', sort: 'age' }, /message.sort must be one of/],
    [{ room: 'view:new', limit: 5 }, 'message.limit needs the room view'],
    [{ room: 'trades', filter: {} }, 'message.filter needs the room view'],
  ]
  for (const [message, expected] of cases) {
    const answer = await client.ask({ type: 'subscribe', id: 3, ...message })
    t.match(answer, { type: 'error', code: 'BAD_MESSAGE', message: expected, id: 3 })
  }
  for (const room of ['view:old', 'view:', `view:${'0'.repeat(32)}`, `view:${'z'.repeat(32)}`])
    t.match(await client.ask({ type: 'subscribe', room }), { type: 'error', code: 'UNKNOWN_ROOM' }, room)
  t.match(await client.ask({ type: 'unsubscribe', room: 'view' }), { type: 'error', code: 'UNKNOWN_ROOM' })
  const creator = `0x${'AB'.repeat(20)}`
  const [upper, lower] = [creator, creator.toLowerCase()].map((creator) =>
    client.ask({ type: 'subscribe', room: 'view', filter: { creator } }),
  )
  t.equal((await upper!).room, (await lower!).room)
  t.strictSame(client.problems, [])
})

t.test('views of a socket, of an address and of a process are bounded; idle ones make room', async (t) => {
  const market = await openMarket(t, { RATE_LIMITS: 'on', SOCKET_VIEWS: '2', VIEWS_MAX: '10', SOCKET_MESSAGES: '1000' })
  const { app, connect } = market
  const subscribe = (holders: number) => ({ type: 'subscribe', room: 'view', filter: { minHolders: holders } })
  const client = await connect()
  t.match(await client.ask({ type: 'subscribe', room: 'view:new' }), { type: 'subscribed' })
  const kept = await client.ask(subscribe(1))
  t.match(kept, { type: 'subscribed' })
  t.match(await client.ask(subscribe(2)), { code: 'ROOM_LIMIT', message: 'A socket may have 2 views' })
  t.match(await client.ask(subscribe(1)), { type: 'subscribed' }, 'one that it has')
  const other = await connect()
  t.match(await other.ask(subscribe(2)), { type: 'subscribed' })
  t.match(await other.ask(subscribe(3)), { code: 'ROOM_LIMIT', message: 'An address may have 2 views' })
  t.match(await other.ask(subscribe(1)), { type: 'subscribed' }, 'one that is there')
  await other.ask({ type: 'unsubscribe', room: 'view:new' })
  other.ws.close()
  await other.closed
  await waitUntil('its view is idle', () => app.sockets.hub.counts().sockets === 1)
  t.match(await client.ask({ type: 'unsubscribe', room: kept.room }), { type: 'unsubscribed' })
  for (let holders = 4; holders < 14; holders++) {
    const { room } = await client.ask(subscribe(holders))
    t.match(room, /^view:/)
    await client.ask({ type: 'unsubscribe', room })
  }
  t.equal(app.views.size, 11, 'ten, and the one with a name')
  t.match(await client.ask({ type: 'subscribe', room: kept.room }), { code: 'UNKNOWN_ROOM' }, 'the oldest was dropped')
})

t.test('a process whose views are all followed makes no other, but for those with a name', async (t) => {
  const { app, connect } = await openMarket(t, { VIEWS_MAX: '2' })
  const subscribe = (holders: number) => ({ type: 'subscribe', room: 'view', filter: { minHolders: holders } })
  const [first, second] = [await connect(), await connect()]
  t.match(await first.ask(subscribe(1)), { type: 'subscribed' })
  const { room } = await second.ask(subscribe(2))
  t.match(await first.ask(subscribe(3)), {
    type: 'error',
    code: 'ROOM_LIMIT',
    message: /^This process has 2 views; use/,
  })
  t.match(await first.ask(subscribe(2)), { type: 'subscribed' }, 'one that is there')
  t.match(await first.ask({ type: 'subscribe', room: 'view:new' }), { type: 'subscribed' })
  t.equal(app.views.size, 3)
  for (const client of [first, second])
    t.match(await client.ask({ type: 'unsubscribe', room }), { type: 'unsubscribed' })
  t.match(await second.ask(subscribe(3)), { type: 'subscribed' }, 'in place of one that is not followed any more')
  t.equal(app.views.size, 3)
})

t.test('while the figures cannot be read a subscription is refused, and works again afterwards', async (t) => {
  const empty = await createSocketApp(t)
  const client = await empty.connect()
  t.match(await client.ask({ type: 'subscribe', room: 'view:new', id: 1 }), {
    ...{ type: 'error', code: 'UNAVAILABLE', room: 'view:new', id: 1 },
    message: /cannot be filtered yet/,
  })
  const market = await openMarket(t)
  const { db, connect } = market
  const table = (from: string, to: string) => db.schema.alterTable(from).renameTo(to).execute()
  await table('chain_state', 'elsewhere')
  const other = await connect()
  t.match(await other.ask({ type: 'subscribe', room: 'view:new' }), { type: 'error', code: 'UNAVAILABLE' })
  await table('elsewhere', 'chain_state')
  await market.app.screener.catchUp()
  const recovered = new ViewClient(other)
  t.match(await recovered.subscribe({ room: 'view:new' }), { type: 'subscribed' })
  t.strictSame(recovered.list.tokens, await readList(market, named['view:new']))
})

t.test('another replica resumes a view at a commit that it has had, and announces any other gap', async (t) => {
  const market = await openMarket(t)
  const { db, commit } = market
  const config = testConfig()
  const openReplica = async () => {
    const live = await openLiveBus({ db, redis: null, log: market.app.log, pollMs: 3_600_000 })
    const { app } = await createTestApp({ config, services: { db, live } })
    t.teardown(() => app.close())
    const { connect } = await listenForSockets(t, app)
    return { app, connect, follow: () => reachLastCommit(app, db) }
  }
  const there = await openReplica()
  const message = { room: 'view', sort: 'mcap', filter: { minHolders: 3 }, limit: 20 }
  const watcher = new ViewClient(await there.connect())
  await watcher.subscribe(message)
  const here = new ViewClient(await market.connect())
  await here.subscribe(message)
  for (let turn = 0; turn < 12; turn++) {
    await commit()
    // The other process reads the figures once for two or three commits.
    if (turn % 5 !== 1) await there.follow()
  }
  await here.read()
  const copyOf = (client: ViewClient) => client.list.tokens
  const seqs = here.messages.map(({ seq }) => seq!)
  let [resumed, gaps] = [0, 0]
  for (const [index, since] of seqs.entries()) {
    if (index + 1 < seqs.length && seqs[index + 1] === since) continue
    const client = new ViewClient(await there.connect())
    // What the client had at this seq.
    const past = new ViewClient(await there.connect())
    for (const one of here.messages.slice(0, index + 1)) past.list.receive(one)
    client.list.tokens = [...copyOf(past)]
    await there.follow()
    const answer = await client.subscribe({ ...message, since })
    if (answer.type === 'error') {
      gaps++
      t.match(answer, { code: 'REPLAY_GAP' })
      continue
    }
    resumed++
    await client.read()
    t.strictSame(client.list.addresses, here.list.addresses, `since ${since}`)
    t.strictSame(client.list.problems, [])
  }
  t.comment({ resumed, gaps })
  t.ok(resumed > 0 && gaps > 0)
  // The client was at a commit that this replica has not read yet.
  const before = here.messages.length
  while (here.messages.length === before) {
    await there.follow()
    await commit()
    await here.read()
  }
  const early = new ViewClient(await there.connect())
  const answer = early.subscribe({ ...message, since: here.messages.at(-1)!.seq })
  // The service has received the request before these are answered.
  const other = await there.connect()
  for (let ping = 0; ping < 3; ping++) t.match(await other.ask({ type: 'ping' }), { type: 'pong' })
  await there.follow()
  t.match(await answer, { type: 'subscribed' }, 'it is waited for')
  const late = await openReplica()
  const client = new ViewClient(await late.connect())
  await client.subscribe({ room: 'view:new' })
  t.match(await client.subscribe({ ...message, since: seqs[0] }), { code: 'REPLAY_GAP' }, 'it has started later')
  t.match(await client.subscribe({ ...message, since: 2 ** 50 + 255 }), { code: 'REPLAY_GAP' }, 'it lies ahead')
})

t.test('a hidden token leaves all views, and comments change its record', async (t) => {
  const market = await openMarket(t)
  const client = new ViewClient(await market.connect())
  await client.subscribe({ room: 'view', sort: 'newest', limit: 100 })
  const address = client.list.addresses[3]!
  const admin = `0xad31${'0'.repeat(36)}`
  const settle = async () => {
    await reachLastCommit(market.app, market.db)
    await client.read()
  }
  const { status } = await market.send('POST', `/tokens/${address}/comments`, { text: 'Ahoy' }, `0x${'1'.repeat(40)}`)
  t.equal(status, 200)
  await settle()
  t.match(client.messages.at(-1), { type: 'view.updated', data: { token: { address, commentCount: Number } } })
  await market.send('POST', `/admin/tokens/${address}/hide`, { reason: 'Spam' }, admin)
  await settle()
  t.match(
    client.messages.slice(-2),
    [{ type: 'view.removed', data: { address } }, { type: 'view.added' }],
    'the next one takes the last place',
  )
  t.notOk(client.list.addresses.includes(address))
})
