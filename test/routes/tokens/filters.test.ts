import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { enqueueEvents, toChangeEvent } from '../../../db/queries/outbox.ts'
import { boundName, type RangeName, ranges } from '../../../schemas/screener.ts'
import type { TokenPage } from '../../../schemas/tokens.ts'
import { createMarketApp, type MarketApp } from '../../support/market-app.ts'
import { HIDDEN } from '../../support/market-rows.ts'
import { creatorOf, TOKEN_COUNT } from '../../support/market-simulation.ts'

/* The filters of the token list over HTTP. test/features/screener.test.ts compares their results with the database. */
type Page = Static<typeof TokenPage>

const market = await createMarketApp(t)
const { app, db, read } = market
const VISIBLE = TOKEN_COUNT - HIDDEN.length
const names = Object.keys(ranges) as RangeName[]

async function readAll(query: string, { read }: MarketApp = market): Promise<Page['items']> {
  const items: Page['items'] = []
  let cursor: string | null = null
  do {
    const url: string = `/tokens?${query}&limit=3${cursor === null ? '' : `&cursor=${cursor}`}`
    const { body }: { body: { data: Page } } = await read<Page>(url)
    items.push(...body.data.items)
    cursor = body.data.nextCursor
  } while (cursor !== null)
  return items
}

t.test('a token is within the bounds that equal its figures', async (t) => {
  const { items } = (await read<Page>('/tokens?limit=100')).body.data
  const figures: [RangeName, (token: Page['items'][number]) => number | null][] = [
    ['marketCapUsd', (token) => token.marketCapUsd],
    ['liquidityUsd', (token) => token.liquidityUsd],
    ['volumeUsd.h24', (token) => token.volumeUsd24h],
    ['buys.h24', (token) => token.buys24h],
    ['sells.h24', (token) => token.sells24h],
    ['trades.h24', (token) => token.buys24h + token.sells24h],
    ['makers.h24', (token) => token.traders24h],
    ['priceChangePct.m5', (token) => token.priceChangePct.m5],
    ['priceChangePct.h1', (token) => token.priceChangePct.h1],
    ['priceChangePct.h24', (token) => token.priceChangePct.h24],
    ['progressPct', (token) => token.progressPct],
    ['holders', (token) => token.holderCount],
    ['top10Pct', (token) => token.top10Pct],
    ['creatorHeldPct', (token) => token.creatorHeldPct],
    ['sniperPct', (token) => token.sniperPct],
    ['bundlerPct', (token) => token.bundlerPct],
  ]
  for (const [name, figureOf] of figures) {
    for (const token of items) {
      const value = figureOf(token)
      if (value === null || value > ranges[name].maximum) continue
      const query = `${boundName('min', name)}=${value}&${boundName('max', name)}=${value}`
      const equal = items.filter((other) => figureOf(other) === value).map(({ address }) => address)
      const found = (await read<Page>(`/tokens?${query}&limit=100`)).body.data.items
      t.strictSame(found.map(({ address }) => address).sort(), equal.sort(), query)
    }
  }
})

t.test('sets select by state, creator, links and feature, and hidden tokens match nothing', async (t) => {
  const all = (await read<Page>('/tokens?limit=100')).body.data.items
  const expect = async (query: string, isIn: (token: Page['items'][number]) => boolean) => {
    const found = await readAll(query)
    t.strictSame(
      found.map(({ address }) => address).sort(),
      all
        .filter(isIn)
        .map(({ address }) => address)
        .sort(),
      query,
    )
  }
  await expect('status=graduated', ({ status }) => status === 'graduated')
  await expect('status=completed,graduated', ({ status }) => status !== 'curve')
  await expect('sort=curve&status=curve,graduated', ({ status }) => status === 'curve')
  await expect('sort=graduated&status=curve', () => false)
  await expect(`creator=${creatorOf(1).toUpperCase().replace('X', 'x')}`, ({ creator }) => creator === creatorOf(1))
  await expect('hasLinks=true', ({ links }) => Object.values(links).some((link) => link !== null))
  await expect('hasLinks=false', ({ links }) => Object.values(links).every((link) => link === null))
  await expect('featured=true', ({ featured }) => featured)
  await expect('launchpad=nad-fun,slipway', () => true)
  await expect('launchpad=slipway', ({ launchpad }) => launchpad.kind === 'slipway')
  await expect('launchpad=unknown', () => false)
  await expect('minHolders=0', () => true)
  const { name, symbol } = all[3]!
  const hasNone = (token: Page['items'][number], ...words: string[]) =>
    words.every((word) => !token.name.toUpperCase().includes(word) && !token.symbol.toUpperCase().includes(word))
  t.notOk(hasNone(all[3]!, symbol.toUpperCase()))
  await expect(`exclude=${symbol.toLowerCase()}`, (token) => hasNone(token, symbol.toUpperCase()))
  const words = [name.slice(1, 4), symbol.slice(0, 2)]
  await expect(`exclude=${encodeURIComponent(words.join())}`, (token) =>
    hasNone(token, ...words.map((word) => word.toUpperCase())),
  )
})

t.test(
  'a filtered list has the form of the unfiltered one, and the same tokens if the filter excludes none',
  async (t) => {
    for (const sort of ['trending', 'newest', 'mcap', 'volume', 'curve', 'graduated']) {
      const plain = (await read<Page>(`/tokens?sort=${sort}&limit=9&page=2`)).body.data
      const filtered = (await read<Page>(`/api/tokens?sort=${sort}&limit=9&page=2&minAge=0`)).body.data
      t.strictSame({ ...filtered, nextCursor: null }, { ...plain, nextCursor: null }, sort)
      t.equal(filtered.nextCursor === null, plain.nextCursor === null)
    }
  },
)

t.test('hostile and contradictory filters are rejected with the name of the parameter', async (t) => {
  const bad: [query: string, field: string][] = [
    ...names.flatMap((name): [string, string][] =>
      ['NaN', 'Infinity', '-Infinity', '1e400', '-1e400', '', 'abc', '1;drop', '0x', '%00', '1,2', 'null', '[]'].map(
        (value) => [`${boundName('min', name)}=${value}`, boundName('min', name)],
      ),
    ),
    ['minHolders=-1', 'minHolders'],
    ['minHolders=1.5', 'minHolders'],
    ['maxTop10Pct=100.1', 'maxTop10Pct'],
    ['minPriceChangePct.h1=-101', 'minPriceChangePct.h1'],
    ['minHolders=1&minHolders=2', 'minHolders'],
    ['minHolders=3&maxHolders=2', 'minHolders'],
    ['minAge=9&maxAge=8', 'minAge'],
    ['minVolumeUsd.d7=1', 'minVolumeUsd.d7'],
    ['minBuys.d7=1', 'minBuys.d7'],
    ['minVolumeUsd=1', 'minVolumeUsd'],
    ['maxMakers.d7=1', 'maxMakers.d7'],
    ['maxSniperPct=100.1', 'maxSniperPct'],
    ['maxBundlerPct=100.1', 'maxBundlerPct'],
    ['minInsiderPct=1', 'minInsiderPct'],
    ['minHolder=1', 'minHolder'],
    ['min__proto__=1&minHolders=1', 'min__proto__'],
    ['hasLinks=true&holders=5', 'holders'],
    ['hasLinks=true&constructor=5', 'constructor'],
    ['status=', 'status'],
    ['status=open', 'status'],
    ['status=curve,', 'status'],
    ['status=curve,curve,curve,curve', 'status'],
    ['status=curve&status=graduated', 'status'],
    ['hasLinks=maybe', 'hasLinks'],
    ['featured=2', 'featured'],
    ['creator=0x12', 'creator'],
    ['launchpad=', 'launchpad'],
    ['launchpad=Nad.fun', 'launchpad'],
    ['exclude=', 'exclude'],
    ['exclude=a,', 'exclude'],
    ['exclude=a,b,c,d,e,f', 'exclude'],
    [`exclude=${'x'.repeat(33)}`, 'exclude'],
    ['exclude=a&exclude=b', 'exclude'],
    ['creator=0x3a11%00', 'creator'],
    ['minHolders=1&page=501', 'page'],
    ['minHolders=1&cursor=abc', 'cursor'],
  ]
  for (const [query, field] of bad) {
    const { status, body } = await read(`/tokens?${query}`)
    t.equal(status, 400, query)
    t.ok(body.error?.startsWith(`query.${field} `), `${query}: ${body.error}`)
  }
  const long = await read(`/tokens?minHolders=1&${'x'.repeat(300)}=1`)
  t.equal(long.status, 400)
  t.ok((long.body.error?.length ?? 0) < 120)
})

t.test('a cursor belongs to its order and to filtered lists', async (t) => {
  const plain = (await read<Page>('/tokens?sort=mcap&limit=3')).body.data.nextCursor
  const filtered = (await read<Page>('/tokens?sort=mcap&limit=3&minAge=0')).body.data.nextCursor
  t.equal((await read(`/tokens?sort=mcap&minAge=0&cursor=${plain}`)).status, 400)
  t.equal((await read(`/tokens?sort=mcap&cursor=${filtered}`)).status, 400)
  t.equal((await read(`/tokens?sort=volume&minAge=0&cursor=${filtered}`)).status, 400)
  t.equal((await read(`/tokens?sort=mcap&minHolders=1&cursor=${filtered}`)).status, 200)
})

t.test('unknown parameters without a filter are ignored, as on every list', async (t) => {
  const { status, body } = await read<Page>('/tokens?holders=5&utm_source=x')
  t.equal(status, 200)
  t.equal(body.data.total, VISIBLE)
})

t.test('a token that moves while a list is read is neither listed twice nor does it hide another', async (t) => {
  const moving = await createMarketApp(t)
  const before = (await readAll('sort=mcap&minAge=0', moving)).map(({ address }) => address)
  const first = (await moving.read<Page>('/tokens?sort=mcap&minAge=0&limit=10')).body.data
  // The last token becomes the first, the first one the last, and one that is not read yet is hidden.
  const [top, bottom, hidden] = [before[0]!, before.at(-1)!, before[14]!]
  const idOf = new Map(
    (await moving.db.selectFrom('tokens').select(['id', 'address']).execute()).map(({ id, address }) => [address, id]),
  )
  await moving.db.transaction().execute(async (trx) => {
    const set = (address: string, change: { market_cap?: string; hidden?: boolean }) =>
      trx.updateTable('token_figures').set(change).where('token_id', '=', idOf.get(address)!).execute()
    await set(top, { market_cap: '1' })
    await set(bottom, { market_cap: '9'.repeat(40) })
    await set(hidden, { hidden: true })
    const ids = [top, bottom, hidden].map((address) => idOf.get(address)!)
    await enqueueEvents(trx, [toChangeEvent(['market'], ids)])
  })
  moving.app.live.notifyCommitted()
  await moving.app.screener.catchUp()
  const rest: string[] = []
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const { data } = (await moving.read<Page>(`/tokens?sort=mcap&minAge=0&limit=4&cursor=${cursor}`)).body
    rest.push(...data.items.map(({ address }) => address))
    cursor = data.nextCursor
  }
  const still = before.slice(10).filter((address) => address !== bottom && address !== hidden)
  t.strictSame(rest, [...still, top], 'tokens that did not move come once each')
})

t.test('whether one token matches equals whether it is listed', async (t) => {
  await app.screener.catchUp()
  const tokens = await db.selectFrom('tokens').select(['id', 'address']).execute()
  const filter = {
    ranges: [
      { name: 'holders' as const, min: 3, max: 8 },
      { name: 'marketCapUsd' as const, min: 100, max: 1e9 },
    ],
    status: ['curve' as const],
  }
  const listed = (await readAll('minHolders=3&maxHolders=8&minMarketCapUsd=100&maxMarketCapUsd=1e9&status=curve')).map(
    ({ address }) => address,
  )
  t.ok(listed.length > 0 && listed.length < VISIBLE)
  for (const { id, address } of tokens)
    t.equal(app.screener.matches(filter, id), listed.includes(address), `token ${id}`)
  for (const id of [0, -1, 1e9, Number.NaN]) t.equal(app.screener.matches(filter, id), false)
})

t.test('a token that was hidden after the figures were read is left out of the page', async (t) => {
  const late = await createMarketApp(t)
  const before = await readAll('sort=newest&minAge=0', late)
  const { address } = before[1]!
  const { id } = await late.db
    .selectFrom('tokens')
    .select('id')
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  await late.db.updateTable('token_figures').set({ hidden: true }).where('token_id', '=', id).execute()
  const after = await readAll('sort=newest&minAge=0', late)
  t.strictSame(
    after.map((token) => token.address),
    before.map((token) => token.address).filter((one) => one !== address),
  )
})

t.test('without a price of the native coin no token is within a range of US dollars', async (t) => {
  const unpriced = await createMarketApp(t)
  await unpriced.db.updateTable('chain_state').set({ quote_usd: null }).execute()
  for (const query of ['minMarketCapUsd=0', 'maxLiquidityUsd=1e18', 'minVolumeUsd.h24=0'])
    t.equal((await unpriced.read<Page>(`/tokens?${query}`)).body.data.total, 0, query)
  t.equal((await unpriced.read<Page>('/tokens?minHolders=0')).body.data.total, VISIBLE)
})
