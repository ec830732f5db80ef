import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { listNotifications } from '../../../db/queries/notifications.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { syncTransaction } from '../../../indexer/engine/sync.ts'
import { modules } from '../../../indexer/modules.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { startChain } from '../../support/chain-fixture.ts'
import { createTestDatabase } from '../../support/database.ts'
import { readTokenId } from '../../support/readable-rows.ts'
import { indexToHead } from '../fixtures/indexing.ts'

t.setTimeout(180_000)

/** Bob follows Ann, who launches; Eve likes the token; the launch alone is indexed. */
async function startMarket(t: Test) {
  const test = await startChain(t)
  const [owner, ann, bob, eve] = test.accounts as [Address, Address, Address, Address]
  const act = makeActions(test.deployed)
  const { db } = await createTestDatabase(t)
  await db.insertInto('follows').values({ follower: bob, followee: ann }).execute()
  const [launch] = await test.node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const token = launchedToken(launch!)
  // A like is of a launch that is known.
  await indexToHead(db, test)
  await db
    .insertInto('token_likes')
    .values({ token_id: await readTokenId(db, token), wallet: eve })
    .execute()
  const notified = async (recipient: string) =>
    (await listNotifications(db, { recipient, unread: false, limit: 100, after: null })).map(
      ({ type, actor, subject }) => [type, actor, subject],
    )
  const index = () => indexToHead(db, test)
  return { ...test, test, act, db, token, launch: launch!, owner, ann, bob, eve, notified, index }
}

t.test(
  'a launch notifies followers, a trade the creator, and a graduation the creator and wallets that liked it',
  async (t) => {
    const { node, act, owner, ann, bob, eve, token, notified, index, db } = await startMarket(t)
    const [buy] = await node.run(act.buy(bob, token, parseEther('0.5')), act.buy(ann, token, parseEther('0.1')))
    await node.run(act.buy(eve, token, parseEther('100')))
    await node.run(act.graduate(bob, token))
    // As if it was of an earlier launch at this address, which a reorg has taken away.
    await db
      .insertInto('token_likes')
      .values({ token_id: await readTokenId(db, token), wallet: owner })
      .execute()
    await db.updateTable('token_likes').set({ token_id: 2_000_000_000 }).where('wallet', '=', owner).execute()
    await index()
    t.strictSame(await notified(owner), [], 'a like of another launch at the address is not of this one')
    t.strictSame(await notified(bob), [['followed_creator_launched', ann, token]])
    t.strictSame(await notified(ann), [
      ['graduated', null, token],
      ['trade_on_my_token', eve, token],
      ['trade_on_my_token', bob, token],
    ])
    t.strictSame(await notified(eve), [['graduated', null, token]])
    const trade = (await db.selectFrom('readable_trades').selectAll().where('trader', '=', bob).execute())[0]!
    const notice = (await listNotifications(db, { recipient: ann, unread: true, limit: 9, after: null })).at(-1)
    t.match(notice, { token, token_symbol: 'ONE', username: null, read_at: null })
    t.strictSame(notice?.payload, {
      side: 'buy',
      venue: 'curve',
      quoteAmount: trade.quote_amount,
      tokenAmount: trade.token_amount,
      txHash: buy!.transactionHash,
      blockNumber: trade.block_number,
      logIndex: trade.log_index,
      timestamp: new Date(trade.block_time * 1000).toISOString(),
    })
  },
)

t.test('a reorg deletes notifications of undone events, and creates those of the new branch once', async (t) => {
  const { node, act, ann, bob, eve, token, notified, index } = await startMarket(t)
  await node.run(act.buy(bob, token, parseEther('0.5')))
  await node.run(act.buy(eve, token, parseEther('0.2')))
  await index()
  const both = [
    ['trade_on_my_token', eve, token],
    ['trade_on_my_token', bob, token],
  ]
  t.strictSame(await notified(ann), both)
  await node.reorg(2, [{ action: act.buy(bob, token, parseEther('0.5')), block: 1 }])
  await index()
  t.strictSame(await notified(ann), [['trade_on_my_token', bob, token]])
  t.strictSame(await notified(bob), [['followed_creator_launched', ann, token]], 'what is below stays')
  await node.reorg(3)
  await index()
  t.strictSame(await notified(ann), [])
  t.strictSame(await notified(bob), [])
})

t.test('an event that is synced, then indexed or rebuilt causes one notification, which stays read', async (t) => {
  const { test, node, act, ann, bob, token, launch, notified, index, db } = await startMarket(t)
  await index()
  const [buy] = await node.run(act.buy(bob, token, parseEther('0.5')))
  const services = { db, chain: test.chain, getContracts: async () => test.contracts }
  await syncTransaction(services, { txHash: buy!.transactionHash, wallet: bob, kind: 'buy' })
  await syncTransaction(services, { txHash: launch.transactionHash, wallet: ann, kind: 'create' })
  const once = [['trade_on_my_token', bob, token]]
  t.strictSame(await notified(ann), once)
  await db.updateTable('notifications').set({ read_at: new Date() }).execute()
  await index()
  await reindex(db, modules)
  t.strictSame(await notified(ann), once)
  t.equal((await listNotifications(db, { recipient: ann, unread: true, limit: 9, after: null })).length, 0)
})

t.test('an event that is old when it is indexed causes no notification', async (t) => {
  const { node, act, ann, bob, token, notified, index } = await startMarket(t)
  await node.run(act.buy(bob, token, parseEther('0.5')), act.launch(ann, 'TWO'))
  await node.mine(3_601)
  await index()
  t.strictSame(await notified(ann), [])
  t.strictSame(
    await notified(bob),
    [['followed_creator_launched', ann, token]],
    'of the launch that was indexed when it was new',
  )
  await node.run(act.buy(bob, token, parseEther('0.1')))
  await index()
  t.strictSame(await notified(ann), [['trade_on_my_token', bob, token]])
})
