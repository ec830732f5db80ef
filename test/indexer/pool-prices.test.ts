import t from 'tap'
import { type Address, parseEther } from 'viem'
import { makeActions } from '../support/actors.ts'
import { startAudited } from './fixtures/audited.ts'
import { playMarket } from './fixtures/market.ts'
import { deployPairTrader } from './fixtures/pair-trader.ts'

t.setTimeout(400_000)

t.test('the last candle closes at the price of the token, whatever moved the pool', async (t) => {
  const audited = await startAudited(t)
  const { node, test, db, index, accounts, deployed, expectFresh } = audited
  const [, ann, bob, eve] = accounts as [Address, Address, Address, Address]
  const { graduated: token } = await playMarket(test)
  const act = makeActions(deployed)
  const weth = deployed.weth as Address
  const { trader, run, borrow, pay, payFrom, syncPair, mint } = await deployPairTrader(test)
  await node.run(act.swapBuy(eve, token, parseEther('1')), act.wrap(eve, parseEther('5')))
  await node.run(act.approve(eve, token, trader), act.approve(eve, weth, trader))
  await index()

  const look = async () => {
    const figures = await db
      .selectFrom('readable_token_figures')
      .select(['price', 'pool', 'trades_total', 'volume_total', 'trend_sum', 'ath_market_cap_usd', 'last_trade_block'])
      .where('token', '=', token)
      .executeTakeFirstOrThrow()
    const candles = await db
      .selectFrom('readable_candles')
      .selectAll()
      .where('token', '=', token)
      .orderBy('bucket')
      .execute()
    const ends = [...Map.groupBy(candles, ({ resolution }) => resolution).values()]
      .map((some) => some.at(-1)!)
      .sort((a, b) => a.resolution - b.resolution)
    const { price, pool, ...counted } = figures
    const volumes = candles.filter(({ trades }) => trades > 0).map(({ volume, trades }) => [volume, trades])
    return { price, pair: pool as Address, counted, ends, volumes }
  }
  const before = await look()
  const { pair } = before
  const isFirst = BigInt(token) < BigInt(weth)
  const amount = parseEther('1000')
  const moves = {
    'coins that are taken into the reserves': run(eve, payFrom(weth, eve, pair, parseEther('0.3')), syncPair(pair)),
    'tokens that are taken into the reserves': run(eve, payFrom(token, eve, pair, amount), syncPair(pair)),
    'an unbalanced mint': run(
      eve,
      payFrom(weth, eve, pair, parseEther('0.5')),
      payFrom(token, eve, pair, amount),
      mint(pair, eve),
    ),
    'the fee of a flash loan': borrow(
      eve,
      pair,
      isFirst ? [amount, 0n] : [0n, amount],
      payFrom(token, eve, pair, amount / 2n),
      pay(token, pair, amount),
    ),
  }
  let last = before
  for (const [name, move] of Object.entries(moves)) {
    await t.test(name, async (t) => {
      await node.mine(70)
      await node.run(move)
      await index()
      const after = await look()
      t.not(after.price, last.price, 'the price has moved')
      t.equal(after.ends.length, 7)
      for (const { close, high, low, resolution } of after.ends) {
        t.equal(close, after.price, `${resolution} s`)
        t.ok(high >= close && low <= close)
      }
      t.match(after.ends[0], { resolution: 60, trades: 0, volume: '0', volume_usd: '0.00000000' }, 'nothing was traded')
      const { ath_market_cap_usd: _, ...counted } = after.counted
      t.match(before.counted, counted, 'and nothing else counts it as a trade')
      last = after
    })
  }
  await expectFresh('prices')
  await node.run(act.swapBuy(bob, token, parseEther('0.1')), act.swapBuy(ann, token, parseEther('0.1')))
  await node.run(run(eve, payFrom(weth, eve, pair, parseEther('0.3')), syncPair(pair)))
  await index()
  await node.reorg(3)
  await expectFresh('a reorg that takes some of them back')
  t.equal((await look()).ends[0]!.close, (await look()).price)
  await audited.expectReports(t, [
    ['update pool_states set price = price * 1.01 where price is not null', /pool state \d+\/\d+ price: stored/],
    ['update pool_states set price_usd = null', /pool state \d+\/\d+ price_usd: stored nothing/],
    ['update candles set close = close * 1.01 where trades = 0', /candle \d+\/\d+ close: stored/],
    ['delete from candles where trades = 0', /candle \d+\/\d+: missing/],
    ['update token_figures set trend_sum = trend_sum + 2', /trend_sum: stored/],
    ['update token_figures set trend_exponent = trend_exponent + 1', /trend_exponent: stored/],
  ])
})
