import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { AppError } from '../../errors.ts'
import { makeActions } from '../support/actors.ts'
import { startAudited } from './fixtures/audited.ts'
import { playMarket } from './fixtures/market.ts'
import { deployPairTrader } from './fixtures/pair-trader.ts'

t.setTimeout(400_000)

const missing = new AppError('EVENT_MISSING')
const foreign = new AppError('TRANSACTION_FOREIGN')

/** Ann, Bob and Eve hold a token with a pool, and let a contract sell it for them. */
async function startPool(t: Test) {
  const audited = await startAudited(t)
  const { node, test, db, index, accounts, deployed } = audited
  const [, ann, bob, eve, dan] = accounts as [Address, Address, Address, Address, Address]
  const { graduated: token, open } = await playMarket(test)
  const act = makeActions(deployed)
  const trader = await deployPairTrader(test)
  await node.run(act.swapBuy(eve, token, parseEther('1')), act.buy(dan, open, parseEther('0.1')))
  await node.run(
    ...[ann, bob, eve].map((holder) => act.approve(holder, token, trader.trader)),
    act.approve(dan, open, trader.trader),
  )
  await index()
  const { pool } = await db
    .selectFrom('readable_token_figures')
    .select('pool')
    .where('token', '=', token)
    .executeTakeFirstOrThrow()
  const pair = pool as Address
  const tradesOf = (hash: string) =>
    db.selectFrom('readable_trades').selectAll().where('tx_hash', '=', hash).orderBy('log_index').execute()
  const { payFrom, swapExcess, run } = trader
  return {
    ...audited,
    ...{ ann, bob, eve, dan, act, token, open, pair, tradesOf, ...trader },
    pays: (from: Address, amount: bigint) => payFrom(token, from, pair, amount),
    /** One transaction of these calls, and what was traded in it as [side, trader, whether it is known]. */
    play: async (...calls: Parameters<typeof run> extends [Address, ...infer Calls] ? Calls : never) => {
      const [receipt] = await node.run(run(dan, ...calls))
      await index()
      const trades = await tradesOf(receipt!.transactionHash)
      return {
        hash: receipt!.transactionHash,
        trades: trades.map(({ side, trader: who, trader_known: isKnown }) => [side, who, isKnown]),
      }
    },
    sellsTo: (recipient: Address) => swapExcess(pair, token, recipient),
  }
}

t.test('the seller in a pool is the wallet that paid the tokens into the pair', async (t) => {
  const { ann, bob, eve, dan, open, pair, pays, play, sellsTo, syncPair, payFrom, ...rest } = await startPool(t)
  const [some, one] = [parseEther('100'), parseEther('1')]

  await t.test('a transfer of zero tokens makes no wallet the seller, and its sync is rejected', async (t) => {
    const sale = await play(pays(eve, some), pays(bob, 0n), sellsTo(eve))
    t.strictSame(sale.trades, [['sell', eve, true]])
    await t.rejects(rest.sync(sale.hash, bob, 'sell'), foreign)
    t.equal((await rest.sync(sale.hash, eve, 'sell')).positions.length, 1)
  })

  await t.test('the wallet that paid most in total is the seller, whatever the order of transfers', async (t) => {
    const sale = await play(pays(ann, some), pays(bob, some - 1n), pays(eve, 1n), sellsTo(dan))
    t.strictSame(sale.trades, [['sell', ann, true]])
    const parts = await play(pays(bob, some), pays(ann, some - 1n), pays(ann, 2n), sellsTo(dan))
    t.strictSame(parts.trades, [['sell', ann, true]], 'what a wallet pays in parts is added up')
  })

  await t.test('a transfer of another token makes no wallet the seller', async (t) => {
    const sale = await play(pays(eve, some), payFrom(open, dan, pair, 2n * some), sellsTo(eve))
    t.strictSame(sale.trades, [['sell', eve, true]])
  })

  await t.test('two sales in one transaction belong to their own payers', async (t) => {
    const sales = await play(pays(ann, some), sellsTo(ann), pays(bob, one), sellsTo(bob))
    t.strictSame(sales.trades, [
      ['sell', ann, true],
      ['sell', bob, true],
    ])
  })

  await t.test('tokens that a sync has already added to the reserves are no payment', async (t) => {
    const sale = await play(pays(ann, some), syncPair(pair), pays(bob, one), sellsTo(bob))
    t.strictSame(sale.trades, [['sell', bob, true]])
  })

  await t.test('a sale with an unclear payer is shown at its recipient, and no wallet can sync it', async (t) => {
    const lots = () => rest.db.selectFrom('readable_balances').selectAll().where('wallet', '=', bob).execute()
    const before = await lots()
    const tie = await play(pays(ann, some), pays(eve, some), sellsTo(bob))
    t.strictSame(tie.trades, [['sell', bob, false]], 'two paid the same')
    await play(pays(eve, some))
    const nobody = await play(pays(ann, 0n), sellsTo(bob))
    t.strictSame(nobody.trades, [['sell', bob, false]], 'the tokens lay in the pair')
    for (const { hash } of [tie, nobody]) {
      for (const wallet of [ann, bob, eve, dan]) await t.rejects(rest.sync(hash, wallet, 'sell'), missing)
    }
    const { block_number } = (await rest.tradesOf(nobody.hash))[0]!
    const told = await rest.db
      .selectFrom('notifications')
      .selectAll()
      .where('block_number', '=', block_number)
      .execute()
    t.strictSame(
      told.map(({ recipient, actor }) => [recipient, actor]),
      [[ann, null]],
      'the creator gets a notification of the sale without a seller',
    )
    const costs = (rows: Awaited<ReturnType<typeof lots>>) =>
      rows.map(({ lot_tokens, lot_cost, realized }) => [lot_tokens, lot_cost, realized])
    t.strictSame(costs(await lots()), costs(before), 'nothing that Bob has bought counts as sold')
  })

  await t.test('a transfer from the pair to itself is no payment', async (t) => {
    await play(pays(eve, some))
    // skim to the pair: it sends itself what lies in it.
    const sale = await play(rest.skim(pair, pair), pays(bob, 1n), sellsTo(dan))
    t.strictSame(sale.trades, [['sell', bob, true]])
  })
  await rest.expectFresh('sales')
  await rest.node.reorg(4)
  await rest.expectFresh('a reorg that takes back some of them')
})

t.test('the buyer in a pool is the wallet that the pair sent the tokens to', async (t) => {
  const { node, ann, bob, eve, dan, act, token, pair, pays, play, tradesOf, index, payFrom, deployed, ...rest } =
    await startPool(t)
  const weth = deployed.weth as Address
  const [some, trader, amount] = [parseEther('100'), rest.trader, parseEther('0.01')]
  await node.run(act.wrap(dan, parseEther('1')), act.approve(dan, weth, trader))
  const buysFor = (recipient: Address) => [payFrom(weth, dan, pair, amount), rest.swapExcess(pair, weth, recipient)]

  await t.test('wallets that receive more tokens in other transfers are not the buyer', async (t) => {
    const gifts = [pays(ann, some), rest.skim(pair, bob), payFrom(token, eve, dan, some), payFrom(token, ann, bob, 0n)]
    const buy = await play(...gifts, ...buysFor(eve), payFrom(token, ann, bob, some), payFrom(token, pair, bob, 0n))
    t.strictSame(buy.trades, [['buy', eve, true]])
    await t.rejects(rest.sync(buy.hash, bob, 'buy'), foreign)
    t.equal((await rest.sync(buy.hash, eve, 'buy')).positions.length, 1)
  })

  await t.test('a wallet that a contract forwards the tokens to is not the buyer', async (t) => {
    const buy = await play(...buysFor(trader), rest.pay(token, eve, some), rest.pay(token, bob, 1n))
    t.strictSame(buy.trades, [['buy', trader, true]])
    await t.rejects(rest.sync(buy.hash, eve, 'buy'), foreign)
  })

  await t.test('several purchases in one transaction belong to their own recipients', async (t) => {
    const buys = await play(...buysFor(bob), ...buysFor(ann))
    t.strictSame(buys.trades, [
      ['buy', bob, true],
      ['buy', ann, true],
    ])
  })

  await t.test('in a flash loan, the seller is the wallet that paid most of the repayment', async (t) => {
    const isFirst = BigInt(token) < BigInt(weth)
    const amounts = (tokens: bigint, coins: bigint) => (isFirst ? [tokens, coins] : [coins, tokens]) as [bigint, bigint]
    const [loan] = await node.run(
      rest.borrow(dan, pair, amounts(some, amount / 10_000n), pays(eve, 30n * some), pays(bob, some)),
    )
    await index()
    t.match(await tradesOf(loan!.transactionHash), [
      { side: 'sell', trader: eve, recipient: trader, trader_known: true },
    ])
    await rest.sync(loan!.transactionHash, eve, 'sell')
  })
  await rest.expectFresh('purchases')
})
