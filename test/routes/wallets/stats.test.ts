import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import { type Address, parseEther } from 'viem'
import { bytes } from '../../../db/hex.ts'
import type { WalletStats } from '../../../schemas/wallets.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { createChainApp } from '../../support/chain-app.ts'

/*
 * sam buys ONE and TWO, sells half of ONE with a profit an hour later, and TWO at a loss two hours later; 40 days after, he sells
 * the rest of ONE, and buys TWO again.
 */
const { node, deployed, accounts, db, test, read } = await createChainApp(t)
const [owner, ann, sam, lea] = accounts as [Address, Address, Address, Address]
const act = makeActions(deployed)
const [HOUR, DAY] = [3_600, 86_400]
await node.run(act.setPrice(owner, 3_000n * 10n ** 8n))
const launched = await node.run(act.launch(ann, 'ONE'), act.launch(ann, 'TWO'))
const [one, two] = launched.map(launchedToken) as [Address, Address]
const held = async (token: Address) => {
  await indexToHead(db, test)
  const { body } = await read<{ balance: string }>(`/portfolio/holdings/${token}?wallet=${sam}`)
  return BigInt(body.data.balance)
}
const early = parseEther('0.3')
await node.run(act.buy(sam, one, parseEther('0.1')), act.buy(sam, two, parseEther('0.2')))
await node.run(act.buy(lea, one, parseEther('1')))
const half = (await held(one)) / 2n
await node.mine(HOUR)
await node.run(act.sell(sam, one, half))
await node.mine(HOUR)
await node.run(act.sell(sam, two, await held(two)))
await node.mine(40 * DAY)
await node.run(act.sell(sam, one, await held(one)))
await node.run(act.buy(sam, two, parseEther('0.5')))
await indexToHead(db, test)

type Stats = Static<typeof WalletStats>
const stats = async (query = '', wallet = sam) => (await read<Stats>(`/wallets/${wallet}/stats${query}`)).body.data

t.test('sums, win rate and hold time are of the period, and add up over its days', async (t) => {
  for (const mount of ['', '/api']) t.equal((await read(`${mount}/wallets/${sam}/stats`)).status, 200)
  const all = await stats('?period=all')
  t.match(all, { wallet: sam, period: 'all', trades: 6, truncated: false })
  t.equal(all.winRatePct, 66.666667, 'two of three sales')
  t.equal(all.days.length, 2)
  t.same(
    all.days.map(({ trades }) => trades),
    [4, 2],
  )
  for (const name of ['volumeNative', 'trades'] as const)
    t.equal(
      all.days.reduce((sum, day) => sum + BigInt(day[name]), 0n),
      BigInt(all[name]),
      name,
    )
  t.equal(
    all.days.reduce((sum, day) => sum + BigInt(day.realizedPnl.native), 0n),
    BigInt(all.realizedPnl.native),
  )
  t.ok(BigInt(all.days[0]!.volumeNative) > early)
  const holds = all.medianHoldSeconds!
  t.ok(holds > 2 * HOUR && holds < 3 * HOUR, `${holds} s: that of TWO, between ONE’s`)
})

t.test('a shorter period has the later trades alone, and finds purchases before it', async (t) => {
  const recent = await stats()
  t.match(recent, { period: '30d', trades: 2, winRatePct: 100, truncated: false })
  t.equal(recent.days.length, 1)
  t.ok(recent.medianHoldSeconds! > 40 * DAY, 'bought before the period')
  t.same(await stats('?period=30d'), recent)
  t.equal((await stats('?period=24h')).trades, 2)
})

t.test('unrealized profit is that of the portfolio', async (t) => {
  const { body } = await read<{ unrealizedPnl: object; realizedPnl: object }>(`/portfolio?wallet=${sam}`)
  const all = await stats('?period=all')
  t.same(all.unrealizedPnl, body.data.unrealizedPnl)
  t.same(all.realizedPnl, body.data.realizedPnl)
})

t.test('only sales of bought tokens were held', async (t) => {
  const max = accounts[4] as Address
  const send = (from: Address, to: Address, amount: bigint) => act.transfer(from, one, to, amount)
  const amountOf = async (wallet: Address) => {
    await indexToHead(db, test)
    return BigInt((await read<{ balance: string }>(`/portfolio/holdings/${one}?wallet=${wallet}`)).body.data.balance)
  }
  await node.run(send(lea, max, parseEther('1000')))
  await node.run(act.sell(max, one, parseEther('500')))
  await indexToHead(db, test)
  t.match(await stats('?period=all', max), { trades: 1, medianHoldSeconds: null })
  await node.run(act.buy(max, one, parseEther('0.1')))
  const bought = (await amountOf(max)) - parseEther('500')
  await node.mine(HOUR)
  await node.run(act.sell(max, one, bought))
  await node.mine(10 * HOUR)
  await node.run(act.sell(max, one, parseEther('500')))
  await indexToHead(db, test)
  const { medianHoldSeconds: hold, trades } = await stats('?period=all', max)
  t.equal(trades, 4)
  t.ok(hold !== null && hold >= HOUR && hold < 2 * HOUR, `${hold} s: the last sale is of what was received`)
})

t.test('a wallet that never traded has zeros, and others are rejected', async (t) => {
  t.match(await stats('', deployed.raises), { trades: 0, volumeNative: '0', winRatePct: null, medianHoldSeconds: null })
  t.same((await stats('', deployed.raises)).days, [])
  t.equal((await read(`/wallets/${sam}/stats?period=1y`)).status, 400)
  t.equal((await read('/wallets/0x12/stats')).status, 400)
})

t.test('missing trades are said to be missing', async (t) => {
  await sql`update wallet_figures set trades_total = 7 where wallet = ${bytes(sam)}`.execute(db)
  t.equal((await stats('?period=all')).truncated, true)
  t.equal((await stats()).truncated, false)
})
