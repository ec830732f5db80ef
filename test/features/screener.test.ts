import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { TokenOrder } from '../../schemas/screener.ts'
import type { TokenPage } from '../../schemas/tokens.ts'
import { createMarketApp, type MarketApp } from '../support/market-app.ts'
import { creatorOf } from '../support/market-simulation.ts'
import {
  filterNaively,
  findDifferences,
  makeQuery,
  type Query,
  readFigures,
  toSamples,
} from '../support/screener/naive-filter.ts'
import { addTokens, changeAtRandom } from '../support/screener/random-figures.ts'
import { createRandom } from '../support/seeded-random.ts'

/* Filtered token lists against a statement that reads every token. SEED=n repeats a run with another seed. */
t.setTimeout(400_000)

const SEED = Number(process.env.SEED ?? 1)
const TOKENS = 250
const FILTERS = 120
const COMMITS = 60
const creators = [
  ...Array.from({ length: 4 }, (_, index) => creatorOf(index)),
  creatorOf(0).toUpperCase().replace('X', 'x'),
]

type Page = Static<typeof TokenPage>

const toUrl = (query: Query, paging: Query = {}) => `/tokens?${new URLSearchParams({ ...query, ...paging })}`
const addressesOf = ({ items }: Page) => items.map(({ address }) => address)

/** All pages of a list by cursor; each has the same total. */
async function readAll({ read }: MarketApp, query: Query, limit: number) {
  const found: string[] = []
  const totals = new Set<number>()
  let cursor: string | null = null
  do {
    const url = toUrl(query, { limit: String(limit), ...(cursor === null ? {} : { cursor }) })
    const { status, body }: { status: number; body: { data: Page; error?: string } } = await read<Page>(url)
    if (status !== 200) throw new Error(`${url} answered ${status}: ${body.error}`)
    found.push(...addressesOf(body.data))
    totals.add(body.data.total)
    cursor = body.data.nextCursor
  } while (cursor !== null)
  return { found, totals: [...totals] }
}

async function openRandomMarket(t: Test, seed: number) {
  const market = await createMarketApp(t)
  const random = createRandom(seed)
  const ids = await market.db.transaction().execute((trx) => addTokens(trx, random, TOKENS))
  return { market, random, ids }
}

t.test(
  `every filter lists the tokens of a naive statement, in order, by cursor and by page (SEED=${SEED})`,
  async (t) => {
    const { market, random } = await openRandomMarket(t, SEED)
    const samples = toSamples(await readFigures(market.db))
    let matches = 0
    for (let left = FILTERS; left > 0; left--) {
      const query = makeQuery(random, samples, creators)
      const expected = await filterNaively(market.db, query)
      if (expected.length > 0) matches++
      const { found, totals } = await readAll(market, query, 7 + random(40))
      t.strictSame(found, expected, toUrl(query))
      t.strictSame(totals, [expected.length])
      const page = 1 + random(4)
      const { body } = await market.read<Page>(toUrl(query, { limit: '9', page: String(page) }))
      t.strictSame(addressesOf(body.data), expected.slice((page - 1) * 9, page * 9), `page ${page} of ${toUrl(query)}`)
      t.match(body.data, { page, limit: 9, total: expected.length })
    }
    t.ok(matches > FILTERS / 2, `${matches} filters match tokens`)
  },
)

t.test('lists without filters are in every order and both directions, unknown figures last', async (t) => {
  const { market } = await openRandomMarket(t, SEED)
  await sql`update platform_figures set (tokens_total, tokens_graduated) = (
    select count(*), count(*) filter (where status = 'graduated') from token_figures)`.execute(market.db)
  const { enum: sorts } = TokenOrder as unknown as { enum: string[] }
  t.ok(sorts.length >= 10)
  for (const sort of sorts) {
    for (const direction of ['desc', 'asc']) {
      const query = { sort, direction }
      const expected = await filterNaively(market.db, query)
      t.ok(expected.length > 10)
      const { found, totals } = await readAll(market, query, 33)
      t.strictSame([found, totals], [expected, [expected.length]], toUrl(query))
    }
  }
  const failure = await market.read(toUrl({ direction: 'up' }))
  t.match(failure, { status: 400, body: { error: 'query.direction must be one of desc, asc' } })
})

t.test(`filtered lists are right after every commit, as the clock moves both ways (SEED=${SEED})`, async (t) => {
  const { market, random, ids } = await openRandomMarket(t, SEED + 1)
  const { app, db } = market
  for (let commit = 0; commit < COMMITS; commit++) {
    await db.transaction().execute((trx) => changeAtRandom(trx, random, ids))
    app.live.notifyCommitted()
    const head = await db
      .selectFrom('outbox')
      .select(({ fn }) => fn.max('seq').as('head'))
      .executeTakeFirstOrThrow()
    app.live.versions.advance({ seq: Number(head.head), cacheTags: [] })
    await app.screener.catchUp()
    const figures = await readFigures(db)
    t.strictSame(findDifferences(app.screener, figures), [], `commit ${commit}`)
    const samples = toSamples(figures)
    for (let left = 2; left > 0; left--) {
      const query = makeQuery(random, samples, creators)
      const { found } = await readAll(market, query, 100)
      t.strictSame(found, await filterNaively(db, query), `commit ${commit}: ${toUrl(query)}`)
    }
  }
  const launched = await db.selectFrom('token_figures').select('token_id').execute()
  t.equal(app.screener.size, launched.length)
})
