import type { Static } from '@sinclair/typebox'
import t from 'tap'
import type { Token, TokenList, TokenPage } from '../../../schemas/tokens.ts'
import type { Answer } from '../../support/client.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { HIDDEN } from '../../support/market-rows.ts'
import { type SimulatedToken, TOKEN_COUNT, tokenAddress, walletAddress } from '../../support/market-simulation.ts'

type Record = Static<typeof Token>
type Page = Static<typeof TokenPage>
type List = Static<typeof TokenList>

const market = await createMarketApp(t)
const { read } = market
const listed = market.tokens.filter(({ index }) => !HIDDEN.includes(index))
const marketCap = ({ pool, curve }: SimulatedToken) =>
  pool ? Number(pool.quote) / Number(pool.token) : Number(curve.virtualQuote) / Number(curve.virtualToken)
const addresses = (items: Record[]) => items.map(({ address }) => address)

/** Every token that a list holds, followed by its cursor. */
async function readAll(url: string): Promise<Record[]> {
  const items: Record[] = []
  let cursor: string | null = null
  do {
    const { body }: Answer<List> = await read<List>(
      `${url}${url.includes('?') ? '&' : '?'}limit=4${cursor ? `&cursor=${cursor}` : ''}`,
    )
    items.push(...body.data.items)
    cursor = body.data.nextCursor
  } while (cursor !== null)
  return items
}

/** What each order promises of two neighbours in it. */
const orders: { [sort: string]: { members: SimulatedToken[]; isOrdered: (a: Record, b: Record) => boolean } } = {
  newest: { members: listed, isOrdered: (a, b) => a.blockNumber > b.blockNumber },
  mcap: { members: listed, isOrdered: (a, b) => Number(a.priceNative) >= Number(b.priceNative) },
  volume: { members: listed, isOrdered: (a, b) => BigInt(a.volume.h24) >= BigInt(b.volume.h24) },
  curve: {
    members: listed.filter(({ status }) => status !== 'graduated'),
    isOrdered: (a, b) => a.progressPct >= b.progressPct,
  },
  graduated: {
    members: listed.filter(({ status }) => status === 'graduated'),
    isOrdered: (a, b) => (a.graduatedAt as string) > (b.graduatedAt as string),
  },
}

for (const [sort, { members, isOrdered }] of Object.entries(orders)) {
  t.test(`sort=${sort} has its tokens once each, in order, by page and by cursor`, async (t) => {
    const { status, body } = await read<Page>(`/tokens?sort=${sort}&limit=100`)
    t.equal(status, 200)
    const { items, ...rest } = body.data
    t.same(rest, { page: 1, limit: 100, total: members.length, nextCursor: null })
    t.same(addresses(items).sort(), members.map(({ address }) => address).sort())
    for (const [at, item] of items.entries()) {
      const next = items[at + 1]
      if (next) t.ok(isOrdered(item, next), `${item.symbol} before ${next.symbol}`)
    }
    t.same(addresses(await readAll(`/tokens?sort=${sort}`)), addresses(items))
    const second = await read<Page>(`/api/tokens?sort=${sort}&limit=3&page=2`)
    t.same(addresses(second.body.data.items), addresses(items).slice(3, 6))
    t.match(second.body.data, { page: 2, limit: 3, total: members.length })
  })
}

t.test('sort=trending is the default: recently traded tokens first, untraded ones last', async (t) => {
  const { body } = await read<Page>('/tokens?limit=100')
  const { items, ...rest } = body.data
  t.same(rest, { page: 1, limit: 100, total: TOKEN_COUNT - HIDDEN.length, nextCursor: null })
  t.same((await read<Page>('/tokens?limit=100&sort=trending')).body, body)
  t.equal(items[0]?.address, tokenAddress(29))
  t.equal(items.at(-1)?.address, tokenAddress(3))
  t.same(addresses(await readAll('/tokens')), addresses(items))
  t.same(addresses(await readAll('/tokens/trending')), addresses(items))
})

t.test('the lists of trending and new tokens have no pages, and a request for one does not fail', async (t) => {
  for (const path of ['/tokens/trending', '/api/tokens/trending', '/tokens/new', '/api/tokens/new']) {
    t.equal((await read(`${path}?page=1&limit=1`)).status, 200)
    for (const page of ['0', '-1', '2', '1.5', 'abc', '', '501', '99999999999999999999']) {
      const { status, body } = await read(`${path}?page=${page}`)
      t.equal(status, 400, `${path}?page=${page}`)
      t.match(body.error, /^query\.page .*query\.cursor/)
    }
  }
})

t.test('tokens with equal sort keys continue by cursor', async (t) => {
  const quiet = (await readAll('/tokens?sort=volume')).filter((token) => token.volume.h24 === '0')
  t.ok(quiet.length > 4)
  t.same(addresses(quiet), addresses(quiet).sort())
})

t.test('/tokens/new is newest first and supports limit and cursor', async (t) => {
  const { status, body } = await read<List>('/tokens/new?limit=2')
  t.equal(status, 200)
  t.same(addresses(body.data.items), [tokenAddress(29), tokenAddress(28)])
  t.same(Object.keys(body.data), ['items', 'nextCursor'])
  const next = await read<List>(`/tokens/new?limit=2&cursor=${body.data.nextCursor}`)
  t.same(addresses(next.body.data.items), [tokenAddress(27), tokenAddress(26)])
  t.equal((await read<List>('/tokens/new')).body.data.items.length, 20)
})

t.test('a page by cursor has page null and the same total', async (t) => {
  const first = await read<Page>('/tokens?sort=mcap&limit=5')
  t.same(addresses(first.body.data.items), addresses((await readAll('/tokens?sort=mcap')).slice(0, 5)))
  const { body } = await read<Page>(`/tokens?sort=mcap&limit=5&page=7&cursor=${first.body.data.nextCursor}`)
  t.match(body.data, { page: null, limit: 5, total: TOKEN_COUNT - HIDDEN.length })
  const [before, after] = [first.body.data.items.at(-1), body.data.items[0]]
  const capOf = (token?: Record) =>
    marketCap(market.tokens.find(({ address }) => address === token?.address) as SimulatedToken)
  t.ok(capOf(before) >= capOf(after))
})

t.test('a page past the end is empty', async (t) => {
  const { status, body } = await read('/tokens?page=9&limit=20')
  t.equal(status, 200)
  t.same(body, { success: true, data: { items: [], page: 9, limit: 20, total: 28, nextCursor: null } })
})

t.test('lists exclude hidden tokens', async (t) => {
  for (const sort of ['trending', 'newest', 'mcap', 'volume', 'curve', 'graduated']) {
    const found = addresses(await readAll(`/tokens?sort=${sort}`))
    for (const index of HIDDEN) t.notOk(found.includes(tokenAddress(index)), `${sort} without token ${index}`)
  }
})

t.test('both mounts return the same bytes', async (t) => {
  t.same(await read('/api/tokens?sort=mcap'), await read('/tokens?sort=mcap'))
})

t.test('likedByMe is set for authenticated wallets', async (t) => {
  const headers = { authorization: `Bearer ${market.app.issueToken(walletAddress(1))}` }
  t.equal((await read<Page>('/tokens', headers)).body.data.items[0]?.likedByMe, false)
  t.equal((await read<Page>('/tokens')).body.data.items[0]?.likedByMe, null)
})

const tradeCursor = Buffer.from(JSON.stringify(['trades', 1, 2])).toString('base64url')
const forgedCursor = (values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url')
const bad: [query: string, error: string][] = [
  ['limit=0', 'query.limit must be >= 1'],
  ['limit=101', 'query.limit must be <= 100'],
  ['limit=abc', 'query.limit must be an integer'],
  ['limit=1.5', 'query.limit must be an integer'],
  ['limit=1e400', 'query.limit must be <= 100'],
  ['page=0', 'query.page must be >= 1'],
  ['page=x', 'query.page must be an integer'],
  ['page=501', 'query.page times query.limit must be at most 10000; continue with query.cursor'],
  ['page=101&limit=100', 'query.page times query.limit must be at most 10000; continue with query.cursor'],
  [
    'sort=best',
    'query.sort must be one of trending, newest, mcap, volume, curve, graduated, liquidity, trades, holders, change',
  ],
  ['cursor=abc', 'query.cursor is not a cursor of this list'],
  ['cursor=!', 'query.cursor is not a cursor of this list'],
  [`cursor=${tradeCursor}`, 'query.cursor is not a cursor of this list'],
  [`sort=mcap&cursor=${forgedCursor(['tokens:mcap', 'NaN', '1'])}`, 'query.cursor is not a cursor of this list'],
  [`sort=mcap&cursor=${forgedCursor(['tokens:mcap', '1', "' or 1=1"])}`, 'query.cursor is not a cursor of this list'],
]

for (const [query, error] of bad) {
  t.test(`GET /tokens?${query.slice(0, 40)} is rejected`, async (t) => {
    t.same(await read(`/tokens?${query}`), { status: 400, body: { success: false, data: null, error } })
  })
}

t.test('a cursor of another order is rejected', async (t) => {
  const { body } = await read<Page>('/tokens?sort=newest&limit=1')
  t.same(await read(`/tokens?sort=graduated&cursor=${body.data.nextCursor}`), {
    status: 400,
    body: { success: false, data: null, error: 'query.cursor is not a cursor of this list' },
  })
})

t.test('a cursor with a number beyond all floats is accepted', async (t) => {
  const cursor = forgedCursor(['tokens:trending', '1e+999', '1'])
  t.equal((await read(`/tokens?cursor=${cursor}`)).status, 200)
  const afterAll = forgedCursor(['tokens:mcap', '1', '9999999999'])
  t.equal((await read(`/tokens?sort=mcap&cursor=${afterAll}`)).status, 200, 'and a number that no token can have')
})
