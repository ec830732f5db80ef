import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { addTokenAlert, addTradeAlert, type TokenCondition } from '../../../db/queries/alerts.ts'
import { listNotifications } from '../../../db/queries/notifications.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { startChain } from '../../support/chain-fixture.ts'
import { createTestDatabase } from '../../support/database.ts'
import { indexToHead } from '../fixtures/indexing.ts'

t.setTimeout(180_000)

type Asked = Partial<TokenCondition> & Pick<TokenCondition, 'measure' | 'threshold'>

/** Ann has launched a token, which is indexed; eve has the alerts. */
async function startMarket(t: Test) {
  const test = await startChain(t)
  const [owner, ann, bob, eve] = test.accounts as [Address, Address, Address, Address]
  const act = makeActions(test.deployed)
  const { db } = await createTestDatabase(t)
  const index = () => indexToHead(db, test)
  const [launch] = await test.node.run(act.launch(ann, 'ONE'))
  const token = launchedToken(launch!).toLowerCase()
  await index()
  const readPrice = async () => (await db.selectFrom('token_figures').select('price').executeTakeFirstOrThrow()).price
  const alert = async (asked: Asked) =>
    db.transaction().execute((trx) =>
      addTokenAlert(trx, {
        wallet: eve.toLowerCase(),
        token,
        conditionOf: () => ({ direction: 'above', metric: null, value: asked.threshold, ...asked }),
      }),
    )
  const notified = async () =>
    (await listNotifications(db, { recipient: eve.toLowerCase(), unread: false, limit: 100, after: null }))
      .filter(({ type }) => type.endsWith('_alert'))
      .map(({ type, payload }) => [type, Number((payload.alert as { id?: string } | undefined)?.id)])
  const waiting = async () => {
    const rows = await db
      .selectFrom('token_alerts')
      .select('id')
      .where('triggered_block', 'is', null)
      .orderBy('id')
      .execute()
    return rows.map(({ id }) => id)
  }
  return { ...test, act, db, token: token as Address, index, readPrice, alert, notified, waiting, owner, ann, bob, eve }
}

t.test('an alert triggers at its edge, once, and each alert of an event notifies', async (t) => {
  const { node, act, db, token, index, readPrice, alert, notified, waiting, bob, eve } = await startMarket(t)
  const launched = await readPrice()
  // The price after the buy is known by making it on a branch that is taken back.
  await node.run(act.buy(bob, token, parseEther('1')))
  await index()
  const after = await readPrice()
  const { price_usd: usd } = await db.selectFrom('readable_trades').selectAll().executeTakeFirstOrThrow()
  await node.rollback(1)
  await node.mine()
  await index()
  t.equal(await readPrice(), launched)
  t.ok(after > launched)
  const up = await alert({ measure: 'price', threshold: after, metric: 'priceNative' })
  const between = await alert({ measure: 'price', threshold: (after + launched) / 2 })
  const beyond = await alert({ measure: 'price', threshold: after * (1 + 1e-12) })
  const below = await alert({ measure: 'price', direction: 'below', threshold: after * (1 - 1e-12) })
  const dollars = await alert({ measure: 'price_usd', threshold: usd! })
  const low = await alert({ measure: 'price', direction: 'below', threshold: after })
  const [buy] = await node.run(act.buy(bob, token, parseEther('1')))
  await index()
  t.equal(await readPrice(), after)
  t.strictSame(
    await notified(),
    [low, dollars, between, up].map((id) => ['price_alert', id]),
  )
  t.strictSame(await waiting(), [beyond, below])
  const notice = (
    await listNotifications(db, { recipient: eve.toLowerCase(), unread: true, limit: 9, after: null })
  ).at(-1)
  const trade = (await db.selectFrom('readable_trades').selectAll().execute())[0]!
  t.match(notice, { token, actor: null })
  t.strictSame(notice?.payload, {
    alert: { id: String(up), metric: 'priceNative', window: null, direction: 'above', value: after },
    priceNative: after,
    priceUsd: usd,
    changePct: null,
    txHash: buy!.transactionHash,
    blockNumber: trade.block_number,
    logIndex: trade.log_index,
    timestamp: new Date(trade.block_time * 1_000).toISOString(),
  })
  const { triggered_at: at } = await db
    .selectFrom('token_alerts')
    .selectAll()
    .where('id', '=', up)
    .executeTakeFirstOrThrow()
  t.equal(at?.toISOString(), new Date(trade.block_time * 1_000).toISOString())

  await node.run(act.buy(bob, token, parseEther('0.1')))
  await index()
  t.strictSame(
    (await notified()).filter(([, id]) => id !== beyond),
    [low, dollars, between, up].map((id) => ['price_alert', id]),
  )
  t.strictSame((await notified())[0], ['price_alert', beyond])
  t.strictSame(await waiting(), [below])
})

t.test('of several events that meet an alert, the first triggers it', async (t) => {
  const { node, act, db, token, index, readPrice, alert, bob, eve } = await startMarket(t)
  await alert({ measure: 'price', threshold: (await readPrice()) * 1.0001 })
  const buys = await node.run(...[1, 2, 3].map((share) => act.buy(bob, token, parseEther(`0.${share}`))))
  await index()
  const [notice] = await listNotifications(db, { recipient: eve.toLowerCase(), unread: true, limit: 9, after: null })
  t.equal(notice?.payload.txHash, buys[0]?.transactionHash)
})

t.test('a reorg takes back the notification, and the alert waits for the next event that meets it', async (t) => {
  const { node, act, token, index, readPrice, alert, notified, waiting, bob } = await startMarket(t)
  const id = await alert({ measure: 'price', threshold: (await readPrice()) * 1.01 })
  await node.run(act.buy(bob, token, parseEther('1')))
  await index()
  t.strictSame(await notified(), [['price_alert', id]])
  await node.reorg(1)
  await index()
  t.strictSame([await notified(), await waiting()], [[], [id]])
  await node.run(act.buy(bob, token, parseEther('1')))
  await index()
  t.strictSame([await notified(), await waiting()], [[['price_alert', id]], []])
})

t.test('what happened before an alert was created does not trigger it, nor does a rebuild', async (t) => {
  const { node, act, db, deployed, token, index, readPrice, alert, notified, bob } = await startMarket(t)
  await node.run(act.buy(bob, token, parseEther('5')))
  await index()
  const high = await readPrice()
  const balance = await db
    .selectFrom('readable_balances')
    .selectAll()
    .where('wallet', '=', bob.toLowerCase())
    .executeTakeFirstOrThrow()
  await node.run(act.approve(bob, token, deployed.launchpad))
  await node.run(act.sell(bob, token, BigInt(balance.balance)))
  await index()
  await alert({ measure: 'price', threshold: high })
  await reindex(db, modules)
  t.strictSame(await notified(), [])
  await node.run(act.buy(bob, token, parseEther('1')))
  await index()
  await reindex(db, modules)
  t.strictSame(await notified(), [])
})

t.test('a change of the price is of a window, and both directions count', async (t) => {
  const { node, act, deployed, token, index, readPrice, alert, notified, bob } = await startMarket(t)
  const launched = await readPrice()
  await node.run(act.buy(bob, token, parseEther('2')))
  await index()
  const rise = (100 * ((await readPrice()) - launched)) / launched
  await node.mine(400)
  await index()
  const short = await alert({ measure: 'm5', threshold: rise })
  const long = await alert({ measure: 'h1', threshold: rise })
  const fall = await alert({ measure: 'm5', direction: 'below', threshold: -1 })
  // The rise is within an hour, but not within five minutes.
  await node.run(act.buy(bob, token, parseEther('0.01')))
  await index()
  t.strictSame(await notified(), [['price_alert', long]])
  await node.run(act.approve(bob, token, deployed.launchpad), act.sell(bob, token, parseEther('20000000')))
  await index()
  t.strictSame(await notified(), [
    ['price_alert', fall],
    ['price_alert', long],
  ])
  t.ok(short > 0)
})

t.test('a graduation triggers its alert, and trades of a wallet notify until the alert is deleted', async (t) => {
  const { node, act, db, token, index, alert, notified, bob, ann, eve } = await startMarket(t)
  const id = await alert({ measure: 'graduation', threshold: 0, value: null })
  const pair = { wallet: eve.toLowerCase(), trader: bob.toLowerCase() }
  await node.run(act.buy(bob, token, parseEther('0.1')))
  await index()
  await db.transaction().execute((trx) => addTradeAlert(trx, pair))
  await reindex(db, modules)
  t.strictSame(await notified(), [], 'not of earlier trades')
  await node.run(act.buy(bob, token, parseEther('0.1')), act.buy(ann, token, parseEther('0.1')))
  await node.run(act.buy(bob, token, parseEther('100')))
  await index()
  t.strictSame(await notified(), [
    ['trade_alert', Number.NaN],
    ['trade_alert', Number.NaN],
  ])
  await node.run(act.graduate(ann, token))
  await index()
  t.strictSame((await notified())[0], ['graduation_alert', id])
  await sql`delete from trade_alerts`.execute(db)
  await node.run(act.swapBuy(bob, token, parseEther('1')))
  await index()
  t.equal((await notified()).length, 3)
})
