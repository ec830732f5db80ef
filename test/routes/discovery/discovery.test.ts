import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import { bytes } from '../../../db/hex.ts'
import { toSymbolKey } from '../../../db/symbol-key.ts'
import type { LeaderboardList } from '../../../schemas/leaderboard.ts'
import type { SearchMatches } from '../../../schemas/search.ts'
import type { Answer } from '../../support/client.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { HIDDEN } from '../../support/market-rows.ts'
import {
  creatorOf,
  HEAD,
  type SimulatedTrade,
  timeOf,
  tokenAddress,
  walletAddress,
} from '../../support/market-simulation.ts'

type Found = Static<typeof SearchMatches>
type Leaders = Static<typeof LeaderboardList>

const { read, send, tokens, db } = await createMarketApp(t)
const trades = tokens.flatMap((token) => token.trades)
const failure = (status: number, error: string) => ({ status, body: { success: false, data: null, error } })
const search = async (q: string, limit = 20) =>
  (await read<Found>(`/search?q=${encodeURIComponent(q)}&limit=${limit}`)).body.data
const symbolsOf = ({ tokens }: Found) => tokens.map(({ symbol }) => symbol)

t.test('a search ranks exact symbols first, then prefixes, then other matches', async (t) => {
  const rename = (index: number, name: string, symbol: string) =>
    db.updateTable('tokens').set({ name, symbol }).where('address', '=', tokenAddress(index)).execute()
  await rename(0, 'Zebra One', 'MOO')
  await rename(1, 'Zebra Two', 'MOOSE')
  await rename(2, 'Moonlight', 'ZB3')
  await rename(3, 'Blue Moon', 'ZB4')
  await rename(6, 'Zebra Five', 'XMOO')
  const found = await search('moo')
  t.same(symbolsOf(found).slice(0, 3), ['MOO', 'MOOSE', 'ZB3'])
  t.same(symbolsOf(found).slice(3).sort(), ['XMOO', 'ZB4'])
  t.same(await search('MoO'), found, 'in any letter case')
  t.same(symbolsOf(await search('moo', 2)), ['MOO', 'MOOSE'])
})

t.test('symbols that look like the term are exact matches, and the term is a taken symbol', async (t) => {
  const copy = 'H\u3164\u041eOT'
  const address = tokenAddress(4)
  const before = await db
    .selectFrom('tokens')
    .select(['symbol', 'symbol_key'])
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  await db
    .updateTable('tokens')
    .set({ symbol: copy, symbol_key: toSymbolKey(copy) })
    .where('address', '=', address)
    .execute()
  for (const q of ['HOOT', 'hoot', '$hoot', 'h\u200doot', 'ＨＯＯＴ', copy]) {
    t.equal(symbolsOf(await search(q))[0], copy, q)
    t.equal((await search(q)).symbolTakenBy, address, q)
  }
  for (const q of ['HOO', 'HOOTS', address]) t.equal((await search(q)).symbolTakenBy, null, q)
  t.same((await search('\u3164')).tokens, [], 'a term without a visible character finds nothing')
  await db.updateTable('tokens').set(before).where('address', '=', address).execute()
})

t.test('equal matches are ranked by market cap', async (t) => {
  const { tokens: found } = await search('gull')
  t.ok(found.length > 2)
  const caps = found.slice(1).map(({ marketCapUsd }) => marketCapUsd as number)
  t.same(
    caps,
    caps.toSorted((a, b) => b - a),
  )
})

t.test('a token launched after the popular ones were read is found by every part of its name and symbol', async (t) => {
  await search('moo')
  const { block_number: last } = await db
    .selectFrom('tokens')
    .select(({ fn }) => fn.max('block_number').as('block_number'))
    .executeTakeFirstOrThrow()
  const address = tokenAddress(9)
  const before = await db
    .selectFrom('tokens')
    .select(['name', 'symbol', 'block_number'])
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  const launched = { name: 'Ωmega Ж', symbol: 'ÞQ', block_number: last! + 1 }
  await db.updateTable('tokens').set(launched).where('address', '=', address).execute()
  for (const q of ['Ж', 'a Ж', 'Ωm', 'eg', 'Ж Þ', 'Q', 'þq', '$ÞQ'])
    t.ok(
      (await search(q, 100)).tokens.some((token) => token.address === address),
      q,
    )
  await db.updateTable('tokens').set(before).where('address', '=', address).execute()
})

t.test('accents are ignored, in the term and in names', async (t) => {
  const rename = (index: number, name: string, symbol: string) =>
    db.updateTable('tokens').set({ name, symbol }).where('address', '=', tokenAddress(index)).execute()
  const before = await db
    .selectFrom('tokens')
    .select(['name', 'symbol'])
    .where('address', '=', tokenAddress(15))
    .executeTakeFirstOrThrow()
  await rename(15, 'Le Grand Café Łódź', 'ÉLAN')
  for (const q of [
    'cafe',
    'CAFÉ',
    'café',
    'cafe\u0301',
    'grand café',
    'Le Gr',
    'lodz',
    'łódź',
    'and caf',
    'elan',
    'Élan',
    '$elan',
  ])
    t.ok(symbolsOf(await search(q, 100)).includes('ÉLAN'), q)
  t.equal(symbolsOf(await search('elan'))[0], 'ÉLAN')
  t.same((await search('\u0301')).tokens, [], 'a term of accents alone finds nothing')
  await rename(15, before.name, before.symbol)
})

t.test('a dollar sign before a symbol is ignored', async (t) => {
  t.same(symbolsOf(await search('$moo')), symbolsOf(await search('moo')))
  t.equal(symbolsOf(await search('$MOOSE'))[0], 'MOOSE')
  t.same((await search('$')).tokens, [])
})

t.test('two letters match prefixes', async (t) => {
  t.ok(symbolsOf(await search('ha')).length > 0)
  t.same(await search('qz'), { tokens: [], symbolTakenBy: null, wallets: [] })
})

t.test('wildcards are matched literally', async (t) => {
  for (const q of ['%', '_', '%%%', 'H_AT', '\\', 'a%b', "'", '___', '!!!']) t.same((await search(q)).tokens, [], q)
  await db.updateTable('tokens').set({ name: '100%_Pure\\' }).where('address', '=', tokenAddress(8)).execute()
  for (const q of ['100%', '100%_', '%_pure', 'pure\\']) t.same(symbolsOf(await search(q)), ['AGULL'], q)
})

t.test('an address matches whole or by prefix, and hidden tokens never match', async (t) => {
  t.same(
    (await search(tokenAddress(9).toUpperCase().replace('0X', '0x'))).tokens.map(({ address }) => address),
    [tokenAddress(9)],
  )
  t.equal((await search('0x70ce', 100)).tokens.length, tokens.length - HIDDEN.length)
  t.same((await search(tokenAddress(HIDDEN[0] as number))).tokens, [])
  t.same((await search('0xabcdef')).tokens, [])
})

const nobody = { username: null, avatarUrl: null }

t.test('a wallet with any activity is found by its address', async (t) => {
  const trader = walletAddress(2)
  const tradeCount = trades.filter((trade) => trade.trader === trader).length
  t.same((await search(trader)).wallets, [{ ...nobody, wallet: trader, tradeCount, createdTokens: 0 }])
  const creator = creatorOf(1)
  t.same((await search(creator)).wallets, [
    {
      ...{ ...nobody, wallet: creator, tradeCount: 0 },
      createdTokens: tokens.filter((token) => token.creator === creator).length,
    },
  ])
  t.same(await search(walletAddress(99)), { tokens: [], symbolTakenBy: null, wallets: [] })
})

t.test('a wallet is found by its username or a lookalike, unless it is banned', async (t) => {
  const names = ['kelpie', 'kelp_forest', 'ke1p', 'whelk', 'kelvin']
  for (const [index, username] of names.entries())
    await send('PATCH', '/profiles/me', { username }, walletAddress(20 + index))
  const found = async (q: string, limit?: number) => (await search(q, limit)).wallets.map(({ username }) => username)
  t.same(await found('kelp'), ['ke1p', 'kelp_forest', 'kelpie'])
  t.same(await found('@KELP', 1), ['ke1p'])
  t.same(await found('kelpie'), ['kelpie'])
  for (const q of ['k', '__', 'kel%', 'kelp forest', "k'", '@', 'kelpies', 'kelp'.repeat(6)])
    t.same(await found(q), [], q)
  t.match((await search(walletAddress(20))).wallets, [{ wallet: walletAddress(20), username: 'kelpie' }])
  await db.updateTable('profiles').set({ banned_at: new Date() }).where('wallet', '=', walletAddress(20)).execute()
  t.same(await found('kelpie'), [])
})

t.test('a missing or invalid search term is rejected', async (t) => {
  const blank = 'must contain text to search for, and no control characters'
  t.same(await read('/search'), failure(400, 'query.q is required'))
  t.same(await read('/search?q=%20%20'), failure(400, `query.q ${blank}`))
  t.same(await read('/search?q=a%00'), failure(400, `query.q ${blank}`))
  t.same(await read(`/search?q=${'a'.repeat(65)}`), failure(400, 'query.q must have at most 64 characters'))
  t.same(await read('/search?q=a&limit=0'), failure(400, 'query.limit must be >= 1'))
  t.same(await read('/api/search?q=a&limit=101'), failure(400, 'query.limit must be <= 100'))
})

const periods = { '24h': 1, '7d': 7, '30d': 30, all: 1e5 }
for (const [period, days] of Object.entries(periods)) {
  t.test(`the leaderboard of ${period} ranks wallets by volume within it`, async (t) => {
    const within = trades.filter((trade) => timeOf(trade.block) >= timeOf(HEAD) - days * 86_400)
    const sum = (some: SimulatedTrade[]) => some.reduce((total, { quoteAmount }) => total + quoteAmount, 0n)
    const expected = [...Map.groupBy(within, ({ trader }) => trader)]
      .map(([wallet, own]) => ({ wallet, volume: sum(own), tradeCount: own.length }))
      .sort((a, b) => (a.volume < b.volume ? 1 : -1))
      .map(({ wallet, volume, tradeCount }, at) => ({
        rank: at + 1,
        wallet,
        profile: null,
        quote: { address: `0x${'0'.repeat(40)}`, symbol: 'ETH', decimals: 18 },
        volumeNative: String(volume),
        volumeUsd: Number((volume * 3000n) / 10n ** 10n) / 1e8,
        tradeCount,
        realizedPnl: { native: '0', usd: 0 },
        winRatePct: null,
        period,
        by: 'volume',
      }))
    const { status, body } = await read<Leaders>(`/leaderboard?period=${period}`)
    t.equal(status, 200)
    t.same(body.data, { items: expected, nextCursor: null })
    const first: Answer<Leaders> = await read(`/leaderboard?period=${period}&limit=3`)
    const second: Answer<Leaders> = await read(
      `/leaderboard?period=${period}&limit=5&cursor=${first.body.data.nextCursor}`,
    )
    t.same([...first.body.data.items, ...second.body.data.items], expected, 'ranks go on by cursor')
  })
}

t.test('by pnl, the highest profit comes first and losses last, across pages', async (t) => {
  const profits = new Map([
    [walletAddress(1), '-5000000000000000000'],
    [walletAddress(2), '7000000000000000000'],
    [walletAddress(3), '9000000000000000000'],
  ])
  for (const [wallet, realized_d7] of profits) {
    await sql`update wallet_figures set realized_d7 = ${realized_d7}::numeric, realized_usd_d7 = -1.5
      where wallet = ${bytes(wallet)}`.execute(db)
  }
  const { items } = (await read<Leaders>('/leaderboard?period=7d&by=pnl&limit=100')).body.data
  t.same(
    items.slice(0, 2).map(({ wallet }) => wallet),
    [walletAddress(3), walletAddress(2)],
  )
  t.match(items.at(-1), { wallet: walletAddress(1), realizedPnl: { native: '-5000000000000000000', usd: -1.5 } })
  const paged: Leaders['items'] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/leaderboard?period=7d&by=pnl&limit=2${cursor && `&cursor=${cursor}`}`
    const { data } = (await read<Leaders>(path)).body
    paged.push(...data.items)
    cursor = data.nextCursor
  }
  t.same(paged, items)
})

t.test('the win rate is the share of sales with a profit in the newest 200 trades of the period', async (t) => {
  const wallet = walletAddress(1)
  const own = trades.filter(({ trader }) => trader === wallet).sort((a, b) => b.block - a.block || b.log - a.log)
  const isRecent = ({ block }: SimulatedTrade, days: number) => timeOf(block) >= timeOf(HEAD) - days * 86_400
  const [day, week] = [own.filter((trade) => isRecent(trade, 1)), own.filter((trade) => isRecent(trade, 7))]
  t.ok(day.length >= 3 && week.length > day.length && own.length < 200)
  const sell = ({ block, log }: SimulatedTrade, realized: number | null) =>
    sql`update trades set realized = ${realized} where block_number = ${block} and log_index = ${log}`.execute(db)
  const rates = () =>
    Promise.all(
      ['24h', '7d', 'all'].map(async (period) => {
        const { items } = (await read<Leaders>(`/leaderboard?period=${period}&limit=100`)).body.data
        return items.find((entry) => entry.wallet === wallet)?.winRatePct
      }),
    )
  const [newest, second, third] = day as [SimulatedTrade, SimulatedTrade, SimulatedTrade]
  await sell(newest, 5)
  await sell(second, 0)
  await sell(third, -1)
  const older = week[day.length] as SimulatedTrade
  await sell(older, 7)
  t.same(await rates(), [33.333333, 50, 50])
  for (const trade of [newest, second, third, older]) await sell(trade, null)
  t.same(await rates(), [null, null, null])
})

t.test('the leaderboard includes profiles', async (t) => {
  const first = async () => (await read<Leaders>('/leaderboard?limit=1')).body.data.items[0]
  const wallet = (await first())?.wallet as string
  await db.insertInto('profiles').values({ wallet, username: 'Whale', username_skeleton: 'whale' }).execute()
  t.same((await first())?.profile, { wallet, username: 'Whale', avatarUrl: null })
  await db.updateTable('profiles').set({ banned_at: new Date() }).where('wallet', '=', wallet).execute()
  t.equal((await first())?.profile, null, 'unless it is banned')
})

t.test('the default period of the leaderboard is 24 hours', async (t) => {
  t.same(await read('/api/leaderboard'), await read('/leaderboard?period=24h&by=volume'))
})

t.test('an invalid period, order, limit or cursor of the leaderboard is rejected', async (t) => {
  t.same(await read('/leaderboard?period=1y'), failure(400, 'query.period must be one of 24h, 7d, 30d, all'))
  t.same(await read('/leaderboard?by=luck'), failure(400, 'query.by must be one of volume, pnl'))
  t.same(await read('/leaderboard?limit=0'), failure(400, 'query.limit must be >= 1'))
  const { nextCursor } = (await read<Leaders>('/leaderboard?limit=1')).body.data
  const foreign = failure(400, 'query.cursor is not a cursor of this list')
  t.same(await read(`/leaderboard?period=7d&cursor=${nextCursor}`), foreign)
})

t.test('statistics add up to the market', async (t) => {
  const recent = trades.filter(({ block }) => timeOf(block) >= timeOf(HEAD) - 86_400)
  const figuresOf = (some: SimulatedTrade[]) => {
    const sum = (key: 'quoteAmount' | 'protocolFee' | 'creatorFee') =>
      some.reduce((total, trade) => total + trade[key], 0n)
    return {
      trades: some.length,
      traders: new Set(some.map(({ trader }) => trader)).size,
      volume: String(sum('quoteAmount')),
      volumeUsd: Number((sum('quoteAmount') * 3000n) / 10n ** 10n) / 1e8,
      protocolFees: String(sum('protocolFee')),
      creatorFees: String(sum('creatorFee')),
    }
  }
  await sql`update indexer_lease set heartbeat_at = clock_timestamp()`.execute(db)
  const answer = await read('/stats')
  t.same(answer, {
    status: 200,
    body: {
      success: true,
      data: {
        tokens: {
          total: 30,
          onCurve: 25,
          graduated: 5,
          created24h: tokens.filter(({ block }) => timeOf(block) >= timeOf(HEAD) - 86_400).length,
        },
        h24: figuresOf(recent),
        total: figuresOf(trades),
        staking: { pools: 0, positions: 0, stakedValue: '0', stakedValueUsd: 0 },
        raises: {
          ...{ total: 0, open: 0, proposals: 0, committed: '0', committedUsd: 0 },
          ...{ released: '0', refunded: '0' },
        },
        quoteUsd: 3000,
        indexer: {
          blockNumber: HEAD,
          blockTime: new Date(timeOf(HEAD) * 1000).toISOString(),
          finalizedBlock: HEAD - 12,
          provenBlock: HEAD,
          proofs: 'complete',
          chainHead: HEAD,
          lagBlocks: 0,
          recovery: null,
        },
      },
    },
  })
  t.same(await read('/api/stats'), answer)
})
