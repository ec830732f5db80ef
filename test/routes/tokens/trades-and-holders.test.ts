import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import { formatRatio } from '../../../chain/price.ts'
import { bytes } from '../../../db/hex.ts'
import type { HolderList } from '../../../schemas/holders.ts'
import type { Trade, TradeList } from '../../../schemas/tokens.ts'
import type { Answer } from '../../support/client.ts'
import { createMarketApp } from '../../support/market-app.ts'
import {
  BURN_ADDRESS,
  LAUNCHPAD,
  poolAddress,
  type SimulatedToken,
  timeOf,
  tokenAddress,
  walletAddress,
} from '../../support/market-simulation.ts'
import { insertBalances } from '../../support/readable-rows.ts'

const { db, read, send, tokens } = await createMarketApp(t)
const tokenOf = (index: number) => tokens[index] as SimulatedToken
const iso = (block: number) => new Date(timeOf(block) * 1000).toISOString()
const failure = (status: number, error: string) => ({ status, body: { success: false, data: null, error } })

t.test('trades are newest first, with the price after each', async (t) => {
  const { trades } = tokenOf(29)
  const { body } = await read<Static<typeof TradeList>>(`/tokens/${tokenAddress(29)}/trades?limit=100`)
  t.equal(body.data.nextCursor, null)
  t.same(
    body.data.items.map(({ id }) => id),
    trades.map(({ txHash, log }) => `${txHash}-${log}`).reverse(),
  )
  const [last, first] = [body.data.items[0], body.data.items.at(-1)] as Static<typeof Trade>[]
  t.match(last, { venue: 'pool', side: 'buy', confirmed: false, valueUsd: 1500 })
  const trade = trades[0] as (typeof trades)[number]
  t.same(first, {
    id: `${trade.txHash}-${trade.log}`,
    token: tokenAddress(29),
    trader: trade.trader,
    recipient: trade.trader,
    side: 'buy',
    venue: 'curve',
    quote: { address: `0x${'0'.repeat(40)}`, symbol: 'ETH', decimals: 18 },
    tokenAmount: String(trade.tokenAmount),
    quoteAmount: '40000000000000000',
    priceNative: formatRatio(trade.virtualQuote, trade.virtualToken),
    priceQuote: formatRatio(trade.virtualQuote, trade.virtualToken),
    priceUsd: first?.priceUsd,
    valueUsd: 120,
    protocolFee: '400000000000000',
    creatorFee: '200000000000000',
    timestamp: iso(trade.block),
    blockNumber: trade.block,
    txHash: trade.txHash,
    logIndex: trade.log,
    confirmed: true,
  })
  const two = trades.filter(({ txHash }) => txHash === trades[1]?.txHash)
  t.equal(two.length, 2, 'two of them are of one transaction')
})

t.test('trades continue by cursor', async (t) => {
  const all = await read<Static<typeof TradeList>>(`/tokens/${tokenAddress(29)}/trades?limit=100`)
  const first = await read<Static<typeof TradeList>>(`/tokens/${tokenAddress(29)}/trades?limit=6`)
  const url = `/tokens/${tokenAddress(29)}/trades?limit=6&cursor=${first.body.data.nextCursor}`
  const second = await read<Static<typeof TradeList>>(url)
  t.same([...first.body.data.items, ...second.body.data.items], all.body.data.items)
})

t.test('a misspelt filter is rejected at both mounts, and other unknown parameters are ignored', async (t) => {
  for (const url of [`/tokens/${tokenAddress(29)}/trades`, `/api/tokens/${tokenAddress(29)}/trades`]) {
    const misspelt = await read(`${url}?wallett=${walletAddress(1)}`)
    t.same(misspelt, failure(400, 'query.wallett is not a known parameter; use wallet'))
    t.same(await read(`${url}?min_quote=1`), failure(400, 'query.min_quote is not a known parameter; use minQuote'))
    t.equal((await read(`${url}?utm_source=a&_=1&t=2`)).status, 200)
  }
})

t.test('trades are filtered by wallet, side, amount and time, with both ends', async (t) => {
  type Listed = Static<typeof Trade>
  const url = `/tokens/${tokenAddress(29)}/trades`
  const all = (await read<Static<typeof TradeList>>(`${url}?limit=100`)).body.data.items
  const timeIn = ({ timestamp }: Listed) => Date.parse(timestamp) / 1_000
  const [some, other] = [all[3], all[7]] as Listed[]
  const amounts = [some, other].map((trade) => BigInt(trade!.quoteAmount)).sort((a, b) => Number(a - b)) as [
    bigint,
    bigint,
  ]
  const [later, earlier] = [timeIn(some!), timeIn(other!)]
  const conditions: [query: string, meets: (trade: Listed) => boolean][] = [
    [`wallet=${some!.trader}`, ({ trader }) => trader === some!.trader],
    [`side=sell`, ({ side }) => side === 'sell'],
    [`minQuote=${amounts[0]}`, ({ quoteAmount }) => BigInt(quoteAmount) >= amounts[0]],
    [`maxQuote=${amounts[1]}`, ({ quoteAmount }) => BigInt(quoteAmount) <= amounts[1]],
    [`from=${earlier}`, (trade) => timeIn(trade) >= earlier],
    [`to=${later}`, (trade) => timeIn(trade) <= later],
    [`from=${earlier + 1}`, (trade) => timeIn(trade) >= earlier + 1],
    [`to=${later - 1}`, (trade) => timeIn(trade) <= later - 1],
  ]
  for (const [index, [query, meets]] of conditions.entries()) {
    const expected = all.filter(meets)
    t.ok(expected.length > 0 && expected.length < all.length, `${query} makes a difference`)
    const { body } = await read<Static<typeof TradeList>>(`${url}?limit=100&${query}`)
    t.same(body.data.items, expected, query)
    for (const [more, meetsToo] of conditions.slice(index + 1)) {
      const both = await read<Static<typeof TradeList>>(`${url}?limit=100&${query}&${more}`)
      if (query.split('=')[0] !== more.split('=')[0])
        t.same(both.body.data.items, expected.filter(meetsToo), `${query} ${more}`)
    }
  }
  const first = await read<Static<typeof TradeList>>(`${url}?limit=1&side=buy`)
  const next = await read<Static<typeof TradeList>>(`${url}?limit=100&side=buy&cursor=${first.body.data.nextCursor}`)
  t.same(
    [...first.body.data.items, ...next.body.data.items],
    all.filter(({ side }) => side === 'buy'),
  )
  t.same((await read<Static<typeof TradeList>>(`${url}?from=253402300799`)).body.data.items, [], 'after the last block')
  t.same((await read<Static<typeof TradeList>>(`${url}?to=0`)).body.data.items, [], 'before the first one')
  for (const query of [
    'wallet=0x12',
    'side=swap',
    'minQuote=-1',
    'maxQuote=1.5',
    'from=-1',
    'to=253402300800',
    'from=2&to=1',
    'minQuote=10&maxQuote=9',
  ])
    t.equal((await read(`${url}?${query}`)).status, 400, query)
})

t.test('many tokens are read at once, in the order of their addresses', async (t) => {
  const addresses = [29, 3, 7, 3].map(tokenAddress)
  const listed = async (body: object, mount = '') =>
    send<{ items: { address: string }[] }>('POST', `${mount}/tokens/batch`, body)
  for (const mount of ['', '/api']) {
    const { status, body } = await listed({ addresses: [walletAddress(1), ...addresses] }, mount)
    t.equal(status, 200)
    t.same(
      body.data.items.map(({ address }) => address),
      [29, 3, 7].map(tokenAddress),
      'each once, without what is no token',
    )
    for (const item of body.data.items) {
      const { body } = await read<Record<string, unknown>>(`/tokens/${item.address}`)
      const { risk, suspicious, ...record } = body.data
      t.same(item, record)
    }
  }
  for (const body of [{}, { addresses: [] }, { addresses: ['0x12'] }, { addresses: Array(201).fill(tokenAddress(1)) }])
    t.equal((await listed(body)).status, 400)
})

t.test('holders are ordered by balance, add up to the supply and have labels', async (t) => {
  const burnt = { token: tokenAddress(29), wallet: BURN_ADDRESS, balance: '5' }
  await insertBalances(db, [{ ...burnt, first_seen_block: 1, first_seen_at: timeOf(1) }])
  await sql`update balances set balance = balance - 5 where wallet = ${bytes(poolAddress(29))}`.execute(db)
  const { body } = await read<Static<typeof HolderList>>(`/tokens/${tokenAddress(29)}/holders?limit=100`)
  const { items } = body.data
  t.equal(
    items.reduce((sum, { balance }) => sum + BigInt(balance), 0n),
    10n ** 27n,
  )
  for (const [at, { balance }] of items.entries())
    t.ok(at === 0 || BigInt(items[at - 1]?.balance ?? 0) >= BigInt(balance))
  const labels = Object.fromEntries(items.map(({ address, label }) => [address, label]))
  t.match(labels, { [poolAddress(29)]: 'pool', [BURN_ADDRESS]: 'burn', [walletAddress(1)]: null })
  t.same(items.at(-1), {
    address: BURN_ADDRESS,
    balance: '5',
    pct: 0,
    label: 'burn',
    firstSeenAt: iso(1),
    lastActiveAt: iso(1),
  })
})

t.test('contracts of stakes and raises have labels, also beside a role of their own', async (t) => {
  const [staking, raises] = [walletAddress(701), walletAddress(702)]
  const { contracts } = await db.selectFrom('chain_state').select('contracts').executeTakeFirstOrThrow()
  const known = { ...(contracts as object), staking: [staking], raises: [raises, LAUNCHPAD] }
  await db
    .updateTable('chain_state')
    .set({ contracts: JSON.stringify(known) })
    .execute()
  const rows = [staking, raises].map((wallet) => ({
    ...{ token: tokenAddress(2), wallet, balance: '7' },
    ...{ first_seen_block: 1, first_seen_at: timeOf(1) },
  }))
  await insertBalances(db, rows)
  const { body } = await read<Static<typeof HolderList>>(`/tokens/${tokenAddress(2)}/holders?limit=100`)
  const labels = Object.fromEntries(body.data.items.map(({ address, label }) => [address, label]))
  t.match(labels, { [staking]: 'staking', [raises]: 'raises', [LAUNCHPAD]: 'curve' })
  await db
    .updateTable('chain_state')
    .set({ contracts: JSON.stringify(contracts) })
    .execute()
})

t.test('holders of equal balance continue by cursor, once each', async (t) => {
  const rows = Array.from({ length: 9 }, (_, index) => ({
    token: tokenAddress(3),
    wallet: walletAddress(200 + index),
    balance: index === 8 ? '6' : '7',
    first_seen_block: 301,
    first_seen_at: timeOf(301),
  }))
  await insertBalances(db, rows)
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const url: string = `/tokens/${tokenAddress(3)}/holders?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`
    const { body }: Answer<Static<typeof HolderList>> = await read(url)
    seen.push(...body.data.items.map(({ address }) => address))
    cursor = body.data.nextCursor
  } while (cursor !== null)
  t.same(seen, [LAUNCHPAD, ...rows.map(({ wallet }) => wallet)])
})

t.test('an invalid limit or cursor of trades and holders is rejected by field name', async (t) => {
  for (const list of ['trades', 'holders']) {
    const url = `/tokens/${tokenAddress(1)}/${list}`
    t.same(await read(`${url}?limit=0`), failure(400, 'query.limit must be >= 1'))
    t.same(await read(`${url}?limit=101`), failure(400, 'query.limit must be <= 100'))
    t.same(await read(`${url}?cursor=abc`), failure(400, 'query.cursor is not a cursor of this list'))
  }
  const cursor = (await read<Static<typeof HolderList>>(`/tokens/${tokenAddress(1)}/holders?limit=1`)).body.data
    .nextCursor
  t.same(
    await read(`/tokens/${tokenAddress(1)}/trades?cursor=${cursor}`),
    failure(400, 'query.cursor is not a cursor of this list'),
  )
})
