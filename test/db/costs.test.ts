import { createHook } from 'node:async_hooks'
import { type KyselyPlugin, sql } from 'kysely'
import t from 'tap'
import { type Address, parseEther } from 'viem'
import { buildTokenList } from '../../db/queries/token-list.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { explainBuffers } from '../support/plans.ts'
import { multiply } from '../support/readable-rows.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

/*
 * Costs that are the same on every machine. A limit is a little above what the code needs: raise it only for a reason
 * that a benchmark shows to be worth it.
 */

t.test('a batch of a hundred trades needs at most two statements more than a batch of one', async (t) => {
  const test = await startChain(t)
  const { db } = await createTestDatabase(t)
  await prepareChainState(db, test.chain, test.contracts, test.config)
  let statements = 0
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const { chain, contracts, config } = test
  const follower = new Follower({ db: db.withPlugin(counting), chain, contracts, finality: config.finality })
  const toHead = async () => {
    while ((await follower.step()) === 'again') {}
    statements = 0
  }
  const countStep = async () => {
    statements = 0
    t.equal(await follower.step(), 'again')
    return statements
  }
  const act = makeActions(test.deployed)
  const [, ann, ben] = test.accounts as [Address, Address, Address]
  const [launched] = await test.node.run(act.launch(ann, 'COST', parseEther('0.1')))
  const token = launchedToken(launched!)
  await test.node.run(act.buy(ben, token, parseEther('0.01')))
  await toHead()

  await test.node.run(act.buy(ben, token, parseEther('0.01')))
  const one = await countStep()
  await toHead()
  for (let block = 0; block < 5; block++)
    await test.node.run(...Array.from({ length: 20 }, () => act.buy(ben, token, parseEther('0.01'))))
  const hundred = await countStep()
  t.comment(`${one} statements for one trade, ${hundred} for a hundred in five blocks`)
  t.ok(hundred <= one + 2, `${hundred} statements for a hundred trades, ${one} for one`)
  t.ok(one <= 31, `${one} statements for one trade`)
})

t.test('the disk space of a trade and the pages of a list are bounded', async (t) => {
  const { db } = await createTestDatabase(t)
  await fillMarket(db)
  await multiply(db, 'trades', {
    like: sql`true`,
    changes: sql`jsonb_build_object('block_number', 10000 + i, 'log_index', 0,
      'tx_hash', '\\x' || md5(i::text) || md5((-i)::text))`,
    numbers: sql`generate_series(1, 10000) i`,
  })
  await sql`analyze`.execute(db)
  const { rows } = await sql<{ bytes: number }>`
    select (sum(pg_total_relation_size(relid)) / (select count(*) from trades))::int as bytes
    from pg_partition_tree('trades')`.execute(db)
  const bytes = rows[0]?.bytes ?? 0
  t.comment(`${bytes} bytes for each trade, indexes included`)
  t.ok(bytes > 0 && bytes <= 550, `${bytes} bytes`)
  for (const sort of ['trending', 'newest', 'mcap'] as const) {
    const pages = await explainBuffers(db, buildTokenList({ sort, limit: 21 }))
    t.comment(`${pages} pages for a list by ${sort}`)
    t.ok(pages > 0 && pages <= 300, `${sort}: ${pages} pages of 8 kB`)
  }
})

t.test('a cached response needs at most 24 promises', async (t) => {
  const { app } = await createTestApp({
    config: testConfig({ RATE_LIMITS: 'on', RATE_LIMIT_GLOBAL: '1000000/60' }),
    cacheResponses: true,
    extend: (app) => {
      app.get('/kept', { config: { cache: ['market'] } }, async () => ({ kept: true }))
    },
  })
  t.teardown(() => app.close())
  await app.inject('/kept')
  let promises = 0
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') promises++
    },
  })
  const count = async () => {
    promises = 0
    hook.enable()
    const response = await app.inject('/kept')
    hook.disable()
    t.equal(response.statusCode, 200)
    return promises
  }
  // Timers of the application add to a count, and on a busy machine the outbox may not have been read for a second.
  let least = Number.POSITIVE_INFINITY
  const isKept = async () => {
    least = Math.min(least, await count())
    return least <= 24
  }
  await waitUntil('an answer comes from the cache', isKept)
  t.comment(`${least} promises`)
  t.ok(least > 0, 'promises are counted')
})
