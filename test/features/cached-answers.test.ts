import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import type { Db } from '../../db/client.ts'
import { openLiveBus } from '../../features/live/live-bus.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import { reindex } from '../../indexer/engine/reindex.ts'
import { modules } from '../../indexer/modules.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { startChain } from '../support/chain-fixture.ts'
import { headersOf } from '../support/client.ts'
import { createDatabasePlace, createTestDatabase, openTestDatabase, serverUrl } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { ADMIN, ann, bob, LABS } from '../support/people.ts'
import { startRedis } from '../support/servers/redis.ts'
import { singleRedis } from '../support/servers/redis-place.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

/*
 * Cached answers against those of a second application on the same database that keeps none.
 */
t.setTimeout(400_000)

const NEVER = 3_600_000
const log = { info: () => {}, warn: () => {}, error: () => {} }
const env = { RATE_LIMITS: 'off', ADMIN_WALLETS: ADMIN, LABS_WALLETS: LABS }

/** Every route with a cache, for a token and what is said about it. */
const urlsOf = (token: string) => [
  ...['trending', 'newest', 'mcap', 'volume', 'curve', 'graduated'].map((sort) => `/tokens?sort=${sort}`),
  ...['/tokens/trending', '/tokens/new', '/stats', '/leaderboard', '/leaderboard?by=pnl&period=all'],
  ...['', '/trades', '/holders', '/chart?interval=1m'].map((path) => `/tokens/${token}${path}`),
  `/search?q=${token}`,
  `/integrations/udf/search?query=${token}`,
  '/search?q=skipper',
]

const read = async (app: FastifyInstance, url: string) => {
  const { statusCode, body } = await app.inject(url)
  return statusCode === 200 ? body : `${statusCode}`
}

/** Compares all answers of an application that keeps them with current ones. Returns the number that has changed. */
function createComparison(t: Test, kept: FastifyInstance, current: FastifyInstance, token: string) {
  let before: string[] = []
  return async (what: string) => {
    const urls = urlsOf(token)
    const expected = await Promise.all(urls.map((url) => read(current, url)))
    for (const [at, url] of urls.entries()) t.equal(await read(kept, url), expected[at], `${url} ${what}`)
    const changed = expected.filter((body, at) => body !== before[at]).length
    before = expected
    return changed
  }
}

/** Two applications on a database, of which the first keeps its answers for as long as it knows of no change. */
async function openBoth(t: Test, db: Db, config = testConfig(env), services = {}) {
  const live = await openLiveBus({ db, redis: null, log, pollMs: NEVER })
  live.versions.confirm(Number.POSITIVE_INFINITY)
  const { app: kept } = await createTestApp({ config, services: { db, live, ...services }, cacheResponses: true })
  const { app: current } = await createTestApp({ config, services: { db, ...services } })
  for (const app of [kept, current]) t.teardown(() => app.close())
  return { kept, current, live }
}

t.test('every write of the API shows at once in the cached responses of its process', async (t) => {
  const { db } = await createTestDatabase(t)
  const market = await fillMarket(db)
  const token = market[0]!.address
  const { kept, current } = await openBoth(t, db)
  const compare = createComparison(t, kept, current, token)
  await compare('at first')
  t.equal(await compare('again'), 0)
  const send = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, wallet: string, payload?: object) => {
    const answer = await kept.inject({ method, url, headers: headersOf(kept, wallet), ...(payload && { payload }) })
    if (answer.statusCode !== 200) throw new Error(`${method} ${url} answered ${answer.body}`)
    return answer.json().data as { id: string }
  }
  const changes = async (what: string, ...request: Parameters<typeof send>) => {
    const data = await send(...request)
    t.ok((await compare(`after ${what}`)) > 0, `${what} changes an answer`)
    return data
  }
  await changes('a like', 'POST', `/tokens/${token}/like`, ann)
  await changes('the end of a like', 'DELETE', `/tokens/${token}/like`, ann)
  const said = await changes('a comment', 'POST', `/tokens/${token}/comments`, ann, { text: 'Ahoy' })
  await changes('a hidden comment', 'POST', `/admin/comments/${said.id}/hide`, ADMIN)
  await changes('a shown comment', 'POST', `/admin/comments/${said.id}/unhide`, ADMIN)
  await changes('a banned author', 'POST', `/admin/wallets/${ann}/ban`, ADMIN)
  await changes('the end of a ban', 'POST', `/admin/wallets/${ann}/unban`, ADMIN)
  await changes('a deleted comment', 'DELETE', `/comments/${said.id}`, ann)
  await changes('a username', 'PATCH', '/profiles/me', bob, { username: 'skipper' })
  await changes('a hidden token', 'POST', `/admin/tokens/${token}/hide`, ADMIN)
  await changes('a shown token', 'POST', `/admin/tokens/${token}/unhide`, ADMIN)
  await changes('the end of a feature', 'DELETE', `/labs/tokens/${token}/feature`, LABS)
  await changes('a feature', 'POST', `/labs/tokens/${token}/feature`, LABS)
  await changes('a description', 'PATCH', `/tokens/${token}`, ADMIN, { description: 'Sails' })
})

t.test('cached statistics have the lag only while an indexer is active', async (t) => {
  const { db } = await createTestDatabase(t)
  await fillMarket(db)
  const { kept } = await openBoth(t, db)
  const readLag = async () => (await kept.inject('/stats')).json().data.indexer.lagBlocks
  t.equal(await readLag(), null, 'none has sent a heartbeat')
  await sql`update indexer_lease set heartbeat_at = clock_timestamp()`.execute(db)
  await waitUntil('the lag is current', async () => (await readLag()) === 0)
})

t.test('commits of the indexer and of receipt syncs show at once: trades, launches, reorgs, rebuilds', async (t) => {
  const test = await startChain(t)
  const { node, chain, contracts, accounts, deployed, config } = test
  const [, creator, trader] = accounts as [Address, Address, Address]
  const act = makeActions(deployed)
  const { db } = await createTestDatabase(t)
  await prepareChainState(db, chain, contracts, config)
  const services = { chain, getContracts: async () => contracts }
  const { kept, current, live } = await openBoth(t, db, Object.freeze({ ...config, rateLimits: false }), services)
  const follower = new Follower({
    ...config,
    ...{ db, chain, contracts },
    onApplied: ({ change }) => live.notifyCommitted(change),
  })
  const index = async () => {
    while ((await follower.step()) === 'again') {
      // Another step.
    }
  }
  const [launch] = await node.run(act.launch(creator, 'ONE', parseEther('0.1')))
  const token = launchedToken(launch!)
  const compare = createComparison(t, kept, current, token)
  await compare('before the launch')
  await index()
  t.ok((await compare('after the launch')) > 0)
  const [buy] = await node.run(act.buy(trader, token, parseEther('0.5')))
  const synced = await kept.inject({
    method: 'POST',
    url: '/buy',
    headers: headersOf(kept, trader),
    payload: { txHash: buy!.transactionHash },
  })
  t.equal(synced.statusCode, 200)
  t.ok((await compare('after a synced trade')) > 0)
  await index()
  t.ok((await compare('after its block')) > 0)
  await node.run(act.launch(trader, 'one'), act.buy(creator, token, parseEther('0.2')))
  await index()
  t.ok((await compare('after a copy of the symbol and a trade')) > 0)
  await node.reorg(1, [{ action: act.buy(creator, token, parseEther('0.3')), block: 0 }])
  await index()
  t.ok((await compare('after a reorg')) > 0)
  await node.mine(100)
  await index()
  t.ok((await compare('after blocks without events, which make others final')) > 0)

  await db.updateTable('token_figures').set({ trend: 0, holder_count: 0 }).execute()
  await reindex(db, modules)
  live.notifyCommitted()
  await waitUntil('the rebuild is noticed', async () => {
    const answers = [kept, current].map((app) => read(app, `/tokens/${token}/holders`))
    return live.head > 0 && (await answers[0]) === (await answers[1])
  })
  await compare('after a rebuild by another process')
})

const readLikes = async (app: FastifyInstance, token: string) =>
  (await app.inject(`/tokens/${token}`)).json().data.likeCount as number

/** Two processes on one PostgreSQL, each with its own bus and its own cache. */
async function openProcesses(t: Test, redisUrl: string | null, confirmed: boolean) {
  const place = await createDatabasePlace(t)
  const open = async () => {
    const { db } = await openTestDatabase(t, place)
    // By the notifications alone: nothing is found by polling.
    const live = await openLiveBus({
      db,
      redis: redisUrl === null ? null : singleRedis(redisUrl),
      databaseUrl: place.databaseUrl,
      log,
      pollMs: NEVER,
    })
    if (confirmed) live.versions.confirm(Number.POSITIVE_INFINITY)
    const { app } = await createTestApp({ config: testConfig(env), services: { db, live }, cacheResponses: true })
    t.teardown(() => app.close())
    return { app, db, live }
  }
  const [one, two] = [await open(), await open()]
  const market = await fillMarket(one.db)
  const token = market[0]!.address
  /** Likes the token in the first process, and returns how many likes it has there at once. */
  const like = async (wallet: string) => {
    const headers = headersOf(one.app, wallet)
    await one.app.inject({ method: 'POST', url: `/tokens/${token}/like`, headers })
    return readLikes(one.app, token)
  }
  return { one, two, token, like }
}

const skip = serverUrl === null && 'PGlite belongs to one process'
const walletOf = (number: number) => `0x${number.toString(16).padStart(40, 'b')}`

t.test('another process drops a cached response when it is notified', { skip }, async (t) => {
  for (const bus of ['PostgreSQL', 'Redis'] as const) {
    const redis = bus === 'Redis' ? await startRedis(t) : undefined
    if (bus === 'Redis' && !redis) {
      t.comment('not without redis-server')
      continue
    }
    const { two, token, like } = await openProcesses(t, redis?.url ?? null, true)
    // Until both are connected, what is missed stays missed: nobody polls.
    let likes = 0
    await waitUntil(`${bus} is connected`, async () => {
      await readLikes(two.app, token)
      likes = await like(walletOf(likes))
      return (await readLikes(two.app, token)) === likes
    })
    const delays: number[] = []
    for (let round = 0; round < 20; round++) {
      t.equal(await like(walletOf(likes)), ++likes, 'its own process shows it at once')
      const committed = performance.now()
      await waitUntil('the other process shows it', async () => (await readLikes(two.app, token)) === likes)
      delays.push(performance.now() - committed)
    }
    t.comment(`${bus}: the slowest of 20 took ${Math.max(...delays).toFixed(1)} ms`)
  }
})

t.test('without notifications a cached response is stale for at most one second', { skip }, async (t) => {
  const place = await createDatabasePlace(t)
  const one = await openTestDatabase(t, place)
  const [market] = [await fillMarket(one.db)]
  const token = market[0]!.address
  const open = async () => {
    const live = await openLiveBus({ db: one.db, redis: null, log, pollMs: NEVER })
    const { app } = await createTestApp({
      config: testConfig(env),
      services: { db: one.db, live },
      cacheResponses: true,
    })
    t.teardown(() => app.close())
    return { app, live }
  }
  const [writer, reader] = [await open(), await open()]
  reader.live.versions.confirm(performance.now())
  t.equal(await readLikes(reader.app, token), 0)
  await writer.app.inject({
    method: 'POST',
    url: `/tokens/${token}/like`,
    headers: headersOf(writer.app, ann),
  })
  const committed = performance.now()
  let staleAt = committed
  await waitUntil('it is shown', async () => {
    const asked = performance.now()
    if ((await readLikes(reader.app, token)) === 1) return true
    staleAt = asked
    return false
  })
  t.ok(staleAt - committed < 1_000, `the last stale answer came ${Math.round(staleAt - committed)} ms after the commit`)
  t.equal(await readLikes(writer.app, token), 1)
})
