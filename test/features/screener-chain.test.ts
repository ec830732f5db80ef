import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { type Address, parseEther } from 'viem'
import { enqueueEvents, toChangeEvent } from '../../db/queries/outbox.ts'
import { reindex } from '../../indexer/engine/reindex.ts'
import { modules } from '../../indexer/modules.ts'
import type { TokenPage } from '../../schemas/tokens.ts'
import { createFollower } from '../indexer/fixtures/follower.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { createChainApp } from '../support/chain-app.ts'
import { GRADUATING_GAS } from '../support/chain-fixture.ts'
import { ADMIN, LABS } from '../support/people.ts'
import { filterNaively, findDifferences, makeQuery, readFigures, toSamples } from '../support/screener/naive-filter.ts'
import { createRandom } from '../support/seeded-random.ts'

/* What each kind of commit changes about tokens reaches the filters: trades, windows, reorgs, syncs, operators, metadata. */
t.setTimeout(400_000)

const SEED = Number(process.env.SEED ?? 1)
const STEPS = Number(process.env.STEPS ?? 40)
/** Random filters that are compared after each step, besides every figure. */
const FILTERS = 2

t.test(`filtered lists are right after every commit of the indexer and of the API (SEED=${SEED})`, async (t) => {
  const { app, db, read, post, ask, test } = await createChainApp(t)
  const { node, chain, contracts, accounts, deployed, config } = test
  const random = createRandom(SEED)
  const act = makeActions(deployed)
  const [owner, ...wallets] = accounts as [Address, ...Address[]]
  const pick = <T>(values: readonly T[]) => values[random(values.length)]!
  const follower = createFollower({
    ...{ db, chain, contracts, finality: config.finality },
    onApplied: ({ change }) => app.live.notifyCommitted(change),
  })
  const index = async () => {
    while ((await follower.step()) === 'again') {
      // Another step.
    }
  }
  const tokens: Address[] = []
  const launch = async () => {
    const symbol = `T${tokens.length}`
    const [receipt] = await node.run(act.launch(pick(wallets), symbol, parseEther(pick(['0', '0.02', '0.3']))))
    tokens.push(launchedToken(receipt!))
    await index()
  }
  const buy = () => act.buy(pick(wallets), pick(tokens), parseEther(pick(['0.01', '0.4', '2'])))
  const decide = (url: string, wallet: string, method: 'POST' | 'DELETE' = 'POST') =>
    ask({ method, url, headers: { authorization: `Bearer ${app.issueToken(wallet)}` } })
  /** As a process does that is notified of another one's commit. */
  const followOutbox = async () => {
    app.live.notifyCommitted()
    const { seq } = await db
      .selectFrom('outbox')
      .select(({ fn }) => fn.max('seq').as('seq'))
      .executeTakeFirstOrThrow()
    app.live.versions.advance({ seq: Number(seq), cacheTags: [] })
  }
  const steps: Record<string, () => Promise<unknown>> = {
    launch,
    trade: async () => {
      await node.send([buy(), buy(), act.transfer(pick(wallets), pick(tokens), pick(wallets), parseEther('1'))])
      await node.mine()
      await index()
    },
    graduate: async () => {
      await node.send([{ ...act.buy(pick(wallets), pick(tokens), parseEther('20')), gas: GRADUATING_GAS }])
      await node.mine()
      await index()
    },
    pool: async () => {
      await node.send([act.swapBuy(pick(wallets), pick(tokens), parseEther('0.5'))])
      await node.mine()
      await index()
    },
    wait: async () => {
      await node.mine(pick([70, 310, 3_610, 21_700, 86_500]))
      await index()
    },
    // A minute of candles may leave the hour before the trade in it, which is noticed by the sweep alone.
    edge: async () => {
      // A reorg may have taken the last launch, and a purchase may have completed it.
      await launch()
      await node.run(act.buy(pick(wallets), tokens.at(-1)!, parseEther('0.01')))
      await index()
      await node.mine(3_600)
      await index()
      await app.screener.catchUp()
      await node.mine(1)
      await index()
    },
    reorg: async () => {
      await node.reorg(1 + random(4), [{ action: buy(), block: 0 }])
      await index()
    },
    price: async () => {
      await node.run(act.setPrice(owner, BigInt(2_000 + random(1_000)) * 10n ** 8n))
      await index()
    },
    sync: async () => {
      const trader = pick(wallets)
      const [hash] = await node.send([act.buy(trader, pick(tokens), parseEther('0.05'))])
      await node.mine()
      await post('/buy', { txHash: hash }, trader)
    },
    hide: () => decide(`/admin/tokens/${pick(tokens)}/${pick(['hide', 'unhide'])}`, ADMIN),
    feature: () => decide(`/labs/tokens/${pick(tokens)}/feature`, LABS, pick(['POST', 'DELETE'])),
    link: () =>
      ask({
        ...{ method: 'PATCH', url: `/tokens/${pick(tokens)}` },
        headers: { authorization: `Bearer ${app.issueToken(ADMIN)}` },
        payload: { links: { website: pick(['https://a.example', null]) } },
      }),
    rebuild: async () => {
      await db.transaction().execute(async (trx) => {
        await trx.updateTable('token_figures').set({ holder_count: 77 }).execute()
        await enqueueEvents(trx, [toChangeEvent([], 'all')])
      })
      await followOutbox()
      await app.screener.catchUp()
      await reindex(db, modules)
      await followOutbox()
    },
  }
  for (let count = 5; count > 0; count--) await launch()
  // From here on, it follows.
  await app.screener.catchUp()
  const names = [...Object.keys(steps), 'launch', 'trade', 'trade', 'wait', 'wait', 'reorg']
  const creators = (await db.selectFrom('tokens').select('creator').distinct().execute()).map(({ creator }) => creator)
  const done = new Map<string, number>()
  let matches = 0
  for (let step = 0; step < STEPS; step++) {
    // Each kind occurs.
    const name = step < Object.keys(steps).length ? Object.keys(steps)[step]! : pick(names)
    await steps[name]!()
    done.set(name, (done.get(name) ?? 0) + 1)
    await app.screener.catchUp()
    const figures = await readFigures(db)
    t.strictSame(findDifferences(app.screener, figures), [], `step ${step}, ${name}`)
    const samples = toSamples(figures)
    for (let left = FILTERS; left > 0; left--) {
      const query = makeQuery(random, samples, creators)
      const url = `/tokens?${new URLSearchParams({ ...query, limit: '100' })}`
      const { body } = await read<Static<typeof TokenPage>>(url)
      const expected = await filterNaively(db, query)
      matches += expected.length
      t.strictSame(
        body.data.items.map(({ address }) => address),
        expected,
        `step ${step}, ${name}: ${url}`,
      )
    }
  }
  t.comment(Object.fromEntries(done), `${matches} matches`)
  t.ok(matches > STEPS, `${matches} matches`)
})
