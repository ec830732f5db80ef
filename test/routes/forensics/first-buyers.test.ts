import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import { type Address, parseEther } from 'viem'
import type { CreatorHistory, FirstBuyers, TopTraderList } from '../../../schemas/forensics.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { createChainApp } from '../../support/chain-app.ts'

/*
 * One launch on a real chain, whose blocks are five seconds apart. A day before, ann launched a token that lea bought. Now ann
 * launches with a purchase; sam buys five seconds later, lea and tim after that. Then ann sells half, sam all.
 */
const { node, deployed, accounts, db, test, read } = await createChainApp(t)
const [owner, ann, sam, lea, tim, eve] = accounts as [Address, Address, Address, Address, Address, Address]
const act = makeActions(deployed)
const DAY = 86_400

await node.run(act.setPrice(owner, 3_000n * 10n ** 8n))
const [first] = await node.run(act.launch(ann, 'OLD', parseEther('0.1')))
await node.run(act.buy(lea, launchedToken(first!), parseEther('0.1')))
await node.mine(8 * DAY)
const [launch] = await node.run(act.launch(ann, 'NEW', parseEther('0.2')))
const token = launchedToken(launch!)
await node.run(act.buy(sam, token, parseEther('0.1')))
await node.run(act.buy(lea, token, parseEther('0.1')))
await node.run(act.buy(tim, token, parseEther('0.4')), act.buy(sam, token, parseEther('0.1')))
await indexToHead(db, test)
const balanceOf = async (wallet: Address) => {
  const { body } = await read<{ items: { address: string; balance: string }[] }>(`/tokens/${token}/holders?limit=100`)
  return BigInt(body.data.items.find(({ address }) => address === wallet)?.balance ?? 0)
}
const bought = { ann: await balanceOf(ann), sam: await balanceOf(sam), tim: await balanceOf(tim) }
await node.run(act.sell(ann, token, bought.ann / 2n))
await node.run(act.sell(sam, token, bought.sam))
await node.run(act.transfer(tim, token, eve, bought.tim / 4n))
await indexToHead(db, test)

type Buyers = Static<typeof FirstBuyers>
type Traders = Static<typeof TopTraderList>

t.test('the first buyers are listed in order, with their first purchase and what they hold', async (t) => {
  for (const mount of ['', '/api']) {
    const { status, body } = await read<Buyers>(`${mount}/tokens/${token}/first-buyers`)
    t.equal(status, 200)
    const { items } = body.data
    t.same(
      items.map(({ wallet, flags }) => [wallet, flags]),
      [
        [ann, ['creator']],
        [sam, ['sniper', 'fresh']],
        [lea, []],
        [tim, ['fresh']],
      ],
    )
    t.same(
      items.map(({ quoteAmount }) => quoteAmount),
      ['0.2', '0.1', '0.1', '0.4'].map((amount) => parseEther(amount).toString()),
    )
    t.equal(items[0]!.txHash, launch!.transactionHash)
    t.same(
      [items[0]!.balance, items[1]!.balance, items[3]!.balance],
      [bought.ann - bought.ann / 2n, 0n, bought.tim - bought.tim / 4n].map(String),
    )
    t.equal(items[1]!.pct, 0)
    t.ok(items[0]!.pct! > 0 && items[0]!.pct! < 100)
    t.equal(items[0]!.timestamp < items[1]!.timestamp, true)
  }
})

t.test('the first purchase of a wallet counts, not a later one', async (t) => {
  const { body } = await read<Buyers>(`/tokens/${token}/first-buyers`)
  const { tokenAmount } = body.data.items[1]!
  t.ok(BigInt(tokenAmount) < bought.sam, 'sam bought again later')
})

t.test('top traders are ranked by profit or volume, with cost as in the portfolio', async (t) => {
  const list = async (by: string) => (await read<Traders>(`/tokens/${token}/top-traders?by=${by}`)).body.data.items
  t.same(
    (await list('volume')).map(({ wallet }) => wallet),
    [sam, tim, ann, lea],
  )
  const realized = await list('realized')
  t.same(await read<Traders>(`/tokens/${token}/top-traders`).then(({ body }) => body.data.items), realized)
  t.same(new Set(realized.slice(0, 2).map(({ wallet }) => wallet)), new Set([ann, sam]), 'both sold with a profit')
  const unrealized = await list('unrealized')
  t.same(new Set(unrealized.map(({ wallet }) => wallet)), new Set([tim, lea, ann]), 'sam and eve hold nothing bought')
  for (const by of ['realized', 'unrealized', 'volume'] as const) {
    const items = await list(by)
    const rank = ({ realizedPnl, unrealizedPnl, volume }: (typeof items)[number]) =>
      BigInt({ realized: realizedPnl.quote, unrealized: unrealizedPnl.quote, volume }[by])
    for (const [index, item] of items.entries())
      if (index > 0) t.ok(rank(items[index - 1]!) >= rank(item), `${by} ${index}`)
    let next: string | null = ''
    const paged: string[] = []
    while (next !== null) {
      const url: string = `/tokens/${token}/top-traders?by=${by}&limit=1${next && `&cursor=${next}`}`
      const { items: one, nextCursor }: Traders = (await read<Traders>(url)).body.data
      paged.push(...one.map(({ wallet }) => wallet))
      next = nextCursor
    }
    t.same(
      paged,
      items.map(({ wallet }) => wallet),
      `pages by ${by}`,
    )
  }
  for (const item of realized) {
    const { body } = await read<{ balance: string; realizedPnl: object; unrealizedPnl: object }>(
      `/portfolio/holdings/${token}?wallet=${item.wallet}`,
    )
    const { balance, realizedPnl, unrealizedPnl } = body.data
    t.same(
      { balance, realizedPnl, unrealizedPnl },
      {
        ...{ balance: item.balance, realizedPnl: item.realizedPnl, unrealizedPnl: item.unrealizedPnl },
      },
    )
  }
  const [creator] = realized.filter(({ wallet }) => wallet === ann)
  t.match(creator, { label: 'creator', bought: String(bought.ann), sold: String(bought.ann / 2n), volume: String })
  t.equal(BigInt(creator!.volume), BigInt(creator!.spent) + BigInt(creator!.proceeds))
})

t.test('equal ranks continue by wallet', async (t) => {
  await sql`update balances set realized = 0`.execute(db)
  const all = (await read<Traders>(`/tokens/${token}/top-traders`)).body.data.items
  const first = (await read<Traders>(`/tokens/${token}/top-traders?limit=2`)).body.data
  const rest = (await read<Traders>(`/tokens/${token}/top-traders?cursor=${first.nextCursor}`)).body.data
  t.same([...first.items, ...rest.items], all)
  t.same(
    all.map(({ wallet }) => wallet),
    [ann, sam, lea, tim].sort(),
  )
})

t.test('the creator’s history counts launches, and what it kept of them', async (t) => {
  const { status, body } = await read<Static<typeof CreatorHistory>>(`/tokens/${token}/creator`)
  t.equal(status, 200)
  t.match(body.data, { wallet: ann, launched: 2, graduated: 0, abandoned: 1, truncated: false })
  t.equal(body.data.dumpedPct, 25, 'half of one, nothing of the other')
  t.ok(body.data.medianAthMarketCapUsd! > 0)
})

t.test('unknown tokens, other rankings and foreign cursors are rejected', async (t) => {
  for (const path of ['first-buyers', 'top-traders', 'creator'])
    t.equal((await read(`/tokens/${ann}/${path}`)).status, 404, path)
  t.equal((await read(`/tokens/${token}/top-traders?by=luck`)).status, 400)
  const { nextCursor } = (await read<Traders>(`/tokens/${token}/top-traders?by=volume&limit=1`)).body.data
  t.equal((await read(`/tokens/${token}/top-traders?by=realized&cursor=${nextCursor}`)).status, 400)
})

t.test('first buyers whose trades are archived are not guessed', async (t) => {
  await sql`insert into archives (partition, parent, first, stop, state) values ('p', 'trades', 0, 1, 'archived')`.execute(
    db,
  )
  await sql`insert into archived_tokens (token_id, first, trades, volume, volume_usd, protocol_fees, creator_fees, trend_sum,
      trend_exponent, last_block, last_log, last_at)
    select id, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0 from tokens where address = ${token}`.execute(db)
  const { status, body } = await read(`/tokens/${token}/first-buyers`)
  t.equal(status, 422)
  t.match(body, { success: false, error: 'The trades of these blocks are archived' })
})
