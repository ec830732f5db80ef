import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import { bytes } from '../../../db/hex.ts'
import type { Holding, Portfolio } from '../../../schemas/portfolio.ts'
import type { Answer } from '../../support/client.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { creatorOf, QUOTE_USD, type SimulatedToken, walletAddress } from '../../support/market-simulation.ts'
import { expiredToken, failure, readAll } from '../../support/people.ts'

type PortfolioData = Static<typeof Portfolio>
type HoldingData = Static<typeof Holding>

const { app, db, read, tokens } = await createMarketApp(t)
const wallet = walletAddress(1)
const as = (who: string) => ({ authorization: `Bearer ${app.issueToken(who)}` })
const portfolioOf = async (who: string) => (await read<PortfolioData>(`/portfolio?wallet=${who}`)).body.data

/** At the price that the last trade left, or the launch. */
function worthOf(token: SimulatedToken, amount: bigint): bigint {
  const { quote, token: base } = token.pool ?? { quote: token.curve.virtualQuote, token: token.curve.virtualToken }
  return (amount * quote) / base
}

const held = tokens
  .map((token) => ({ token, balance: token.balances.get(wallet) ?? 0n }))
  .filter(({ balance }) => balance > 0n)

t.test('holdings are valued at the price after the last trade', async (t) => {
  const portfolio = await portfolioOf(wallet)
  t.ok(held.length > 3)
  t.equal(portfolio.holdingCount, held.length)
  t.equal(portfolio.truncated, false)
  for (const { quote } of [portfolio, ...portfolio.holdings]) t.match(quote, { symbol: 'ETH', decimals: 18 })
  const worth = new Map(held.map(({ token, balance }) => [token.address, worthOf(token, balance).toString()]))
  t.same(new Map(portfolio.holdings.map(({ token, valueNative }) => [token, valueNative])), worth)
  t.same(
    portfolio.holdings.map(({ valueNative }) => BigInt(valueNative)),
    [...worth.values()].map(BigInt).sort((a, b) => (a > b ? -1 : a < b ? 1 : 0)),
    'the most valuable first',
  )
  const total = [...worth.values()].reduce((sum, value) => sum + BigInt(value), 0n)
  t.equal(portfolio.totalValueNative, total.toString())
  t.ok(Math.abs((portfolio.totalValueUsd as number) - (Number(total) / 1e18) * QUOTE_USD) < 0.01)
})

t.test('profit uses average cost; received and sent tokens are separate', async (t) => {
  const [kept, sent, given] = held as [(typeof held)[0], (typeof held)[0], (typeof held)[0]]
  const lots = [
    { of: kept, tokens: kept.balance, cost: 1_000n, usd: '0.00000300' },
    // Twice of what is left was bought: half of it is gone to others, with its half of the cost.
    { of: sent, tokens: sent.balance * 2n, cost: 2_000n, usd: '8.00000000' },
    { of: given, tokens: given.balance / 4n, cost: 500n, usd: '1.00000000' },
  ]
  for (const lot of lots) {
    await sql`update balances set lot_tokens = ${lot.tokens}, lot_cost = ${lot.cost}, lot_cost_usd = ${lot.usd}::numeric,
      realized = -7, realized_usd = -0.5 where wallet = ${bytes(wallet)}
        and token_id = (select id from tokens where address = ${lot.of.token.address})`.execute(db)
  }
  await sql`insert into wallet_figures (wallet, trades_total, realized_total, realized_usd_total)
    values (${bytes(wallet)}, 3, -21, -1.5) on conflict (wallet)
    do update set realized_total = excluded.realized_total, realized_usd_total = excluded.realized_usd_total`.execute(
    db,
  )
  const portfolio = await portfolioOf(wallet)
  const holding = (of: (typeof held)[0]) => portfolio.holdings.find(({ token }) => token === of.token.address)
  t.match(holding(kept), { boughtAmount: kept.balance.toString(), receivedAmount: '0', costNative: '1000' })
  t.equal(holding(kept)?.unrealizedPnl.native, (worthOf(kept.token, kept.balance) - 1_000n).toString())
  t.match(holding(kept)?.realizedPnl, { native: '-7', usd: -0.5 })
  t.match(holding(sent), { boughtAmount: sent.balance.toString(), costNative: '1000', costUsd: 4 })
  const bought = given.balance / 4n
  t.match(holding(given), {
    boughtAmount: bought.toString(),
    receivedAmount: (given.balance - bought).toString(),
    unrealizedPnl: { native: (worthOf(given.token, bought) - 500n).toString() },
  })
  t.match(portfolio.realizedPnl, { native: '-21', usd: -1.5 })
  const sum = portfolio.holdings.reduce((total, { unrealizedPnl }) => total + BigInt(unrealizedPnl.native), 0n)
  t.equal(portfolio.unrealizedPnl.native, sum.toString())
})

t.test('the holding of one token is that of the list, stays when all is sold, and is null without any', async (t) => {
  const holdingOf = async (token: string, who: string) =>
    (await read<HoldingData | null>(`/portfolio/holdings/${token}?wallet=${who}`)).body.data
  const listed = await readAll<HoldingData>({ read }, `/portfolio/holdings?limit=100&wallet=${wallet}`)
  t.ok(listed.length > 3)
  for (const holding of listed) t.same(await holdingOf(holding.token, wallet), holding)
  const token = listed.at(-1)!.token
  t.same(
    (await read(`/api/portfolio/holdings/${token}`, as(wallet))).body.data,
    listed.at(-1),
    'of the signed-in wallet',
  )
  t.equal((await read(`/portfolio/holdings/${token}`)).status, 401)
  t.equal(await holdingOf(token, `0x${'7'.repeat(40)}`), null)
  t.same(
    await read(`/portfolio/holdings/0x${'7'.repeat(40)}?wallet=${wallet}`),
    failure(404, `Token 0x${'7'.repeat(40)} not found`),
  )

  const change = sql`from tokens k where k.id = b.token_id and k.address = ${token} and b.wallet = ${bytes(wallet)}`
  await sql`update balances b set balance = 0, lot_tokens = 0, lot_cost = 0, lot_cost_usd = 0, realized = 9 ${change}`.execute(
    db,
  )
  t.match(await holdingOf(token, wallet), { balance: '0', valueNative: '0', realizedPnl: { native: '9' } })
  await sql`update balances b set balance = ${listed.at(-1)!.balance}, realized = 0 ${change}`.execute(db)
})

t.test('a creator’s tokens include their fees', async (t) => {
  const creator = creatorOf(1)
  const own = tokens.filter((token) => token.creator === creator)
  t.ok(own.length > 0)
  await sql`update token_figures set creator_fees = 90, creator_fees_claimed = 40
    where token_id in (select id from tokens where address = any(${own.map(({ address }) => address)}::text[]))`.execute(
    db,
  )
  const { created } = await portfolioOf(creator)
  t.same(new Set(created.map(({ token }) => token)), new Set(own.map(({ address }) => address)))
  for (const one of created) t.match(one, { feesEarned: '90', feesClaimed: '40', feesClaimable: '50' })
})

t.test('without a price feed US dollar values are null, not 0', async (t) => {
  await sql`update chain_state set quote_usd = null`.execute(db)
  t.teardown(() => sql`update chain_state set quote_usd = ${QUOTE_USD}`.execute(db))
  const portfolio = await portfolioOf(wallet)
  t.match(portfolio, { totalValueUsd: null, realizedPnl: { usd: null }, unrealizedPnl: { usd: null } })
  t.match(portfolio.holdings[0], { priceUsd: null, valueUsd: null, costUsd: null, unrealizedPnl: { usd: null } })
})

t.test('a wallet without activity has an empty portfolio', async (t) => {
  t.match(await portfolioOf(`0x${'9'.repeat(40)}`), {
    totalValueNative: '0',
    realizedPnl: { native: '0' },
    holdingCount: 0,
    holdings: [],
    created: [],
  })
})

t.test('the list of holdings is complete, page by page', async (t) => {
  const all = await readAll<HoldingData>({ read }, `/portfolio/holdings?wallet=${wallet}&limit=2`)
  t.same(
    all.map(({ token }) => token),
    held.map(({ token }) => token.address).sort(),
  )
  const { holdings } = await portfolioOf(wallet)
  t.same(new Set(all.map((one) => JSON.stringify(one))), new Set(holdings.map((one) => JSON.stringify(one))))
})

t.test('a page follows its cursor, also if the token at its end is not on the chain any more', async (t) => {
  const [, last, next] = held.map(({ token }) => token.address)
  const path = `/portfolio/holdings?wallet=${wallet}&limit=2`
  const { nextCursor } = (await read<{ nextCursor: string }>(path)).body.data
  const change = sql`update tokens set id = -id where address = ${last}`
  await change.execute(db)
  t.teardown(() => change.execute(db))
  const { items } = (await read<{ items: HoldingData[] }>(`${path}&cursor=${nextCursor}`)).body.data
  t.equal(items[0]?.token, next)
})

for (const path of ['/portfolio', '/portfolio/holdings']) {
  t.test(`${path} is of the requested wallet, else of the signed-in one, else 401`, async (t) => {
    const asked = await read(`${path}?wallet=${wallet}`)
    t.equal(asked.status, 200)
    t.same(await read(`/api${path}?wallet=0x${wallet.slice(2).toUpperCase()}`), asked)
    t.same(await read(path, as(wallet)), asked)
    t.same(await read(`${path}?wallet=${wallet}`, as(walletAddress(2))), asked, 'the query wins')
    t.same(await read(`${path}?wallet=${wallet}`, { authorization: `Bearer ${expiredToken(wallet)}` }), asked)
    t.same(await read(path), failure(401, 'Missing bearer token'))
    for (const authorization of [`Bearer ${expiredToken(wallet)}`, 'Bearer a.b.c', 'Basic YTpi'])
      t.same(await read(path, { authorization }), failure(401, 'Invalid or expired token'))
    const bad: Answer<unknown> = await read(`${path}?wallet=0x12`)
    t.same(bad, failure(400, 'query.wallet must be a 0x-prefixed address of 20 bytes in hexadecimal'))
  })
}

t.test('a cursor of another list is rejected', async (t) => {
  const cursor = Buffer.from('["trades",1,2]').toString('base64url')
  t.same(
    await read(`/portfolio/holdings?wallet=${wallet}&cursor=${cursor}`),
    failure(400, 'query.cursor is not a cursor of this list'),
  )
})

t.test('stakes and commitments are listed, or empty', async (t) => {
  for (const mount of ['', '/api']) {
    const { staking, commitments } = (await read<PortfolioData>(`${mount}/portfolio?wallet=${wallet}`)).body.data
    t.strictSame([staking, commitments], [[], []])
  }
})
