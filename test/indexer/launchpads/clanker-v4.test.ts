import t from 'tap'
import { type Address, encodeFunctionData, parseEther, zeroAddress } from 'viem'
import { erc20Abi } from '../../../chain/abi/erc20.ts'
import { AppError } from '../../../errors.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { repair } from '../../../indexer/engine/repair.ts'
import { modules } from '../../../indexer/modules.ts'
import { deployQuote } from '../../support/launchpads/quoted.ts'
import { sqrtPriceAtTick } from '../../support/launchpads/sqrt-price.ts'
import { deployFeeHook, makeKey } from '../../support/launchpads/uniswap-v4.ts'
import { listLiveEvents } from '../../support/outbox.ts'
import { startClankerV4 } from '../fixtures/launchpads/clanker.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const SUPPLY = parseEther('100000000000')
const foreign = new AppError('TRANSACTION_FOREIGN')
/** The quote side of a pool, and the place of the token. The native coin is always the first of a pool, whatever its wrapped one is. */
const POOLS = (['wrapped', 'native'] as const).flatMap((quote) => [true, false].map((isFirst) => ({ quote, isFirst })))

for (const { quote, isFirst } of POOLS)
  t.test(
    `a token of Clanker v4 is followed in its pool of the ${quote} coin, its address ${isFirst ? 'before' : 'after'} the wrapped one’s`,
    async (t) => {
      const started = await startClankerV4(t)
      const { clanker, venue, ann, bob, eve, index, findToken, readTrades, findDifferences, db, sync } = started
      const pairedToken = quote === 'native' ? zeroAddress : venue.weth
      const { token, key, pool, receipt } = await clanker.createToken(bob, {
        ...{ name: 'Sloop', symbol: 'SLP', metadata: '{"description":"A sloop"}', value: parseEther('0.5'), isFirst },
        ...{ tokenAdmin: ann, extensionBps: 1_000n, pairedToken },
      })
      await index()
      const launched = (await findToken(token))!
      t.match(launched, {
        ...{ name: 'Sloop', symbol: 'SLP', creator: ann, launchpad: clanker.address, quote_token: zeroAddress },
        ...{ launchpad_kind: 'clanker-v4', venue: 'uniswap-v4', lifecycle: 'direct', total_supply: String(SUPPLY) },
        ...{ status: 'graduated', graduated_at: null, pool, completed_block: null, target_quote: '0' },
        ...{ graduated_block: launched.created_block, graduated_log: launched.created_log, trades_total: 1 },
        ...{ pool_manager: venue.poolManager, pool_native: quote === 'native' },
      })
      t.same(JSON.parse(Buffer.from(launched.metadata_uri.split(',')[1]!, 'base64').toString()), {
        ...{ description: 'A sloop', image: 'ipfs://dory' },
      })
      const first = Number(launched.initial_virtual_quote) / Number(launched.initial_virtual_token)
      t.ok(Math.abs(first / 1.0001 ** -230_400 - 1) < 1e-6, 'the first price is that of the starting tick')
      const [initial] = await readTrades(token)
      t.match(initial, {
        ...{ side: 'buy', venue: 'pool', pool, trader_known: true, quote_amount: String(parseEther('0.5')) },
        ...{ trader: clanker.address, tx_hash: receipt.transactionHash, price: launched.price },
      })
      t.ok(initial!.log_index < launched.created_log!, 'the trade of the launch is before it')
      t.ok(launched.price > first, 'the first trade moves the price')
      t.equal((await sync(receipt.transactionHash, ann, 'create', token)).positions.length, 1)
      await t.rejects(sync(receipt.transactionHash, bob, 'create', token), foreign, 'the sender is not the creator')

      await venue.swapBuy(bob, key, parseEther('1'), { recipient: eve })
      await venue.swapBuy(bob, key, parseEther('1'), { payFirst: true })
      await venue.swapSell(ann, key, token, BigInt(initial!.token_amount) / 2n, { recipient: bob })
      await venue.swapSell(bob, key, token, parseEther('1000'), { payFirst: true })
      await index()
      const paid = String(parseEther('1'))
      const own = { trader_known: true, pool, venue: 'pool' }
      t.match(await readTrades(token), [
        { ...own },
        { ...own, side: 'buy', trader: eve, recipient: eve, quote_amount: paid },
        { ...own, side: 'buy', trader: bob, recipient: bob, quote_amount: paid },
        { ...own, side: 'sell', trader: ann, recipient: ann },
        { ...own, side: 'sell', trader: bob, token_amount: String(parseEther('1000')) },
      ])
      t.equal((await findToken(token))!.holder_count, 4, 'ann, bob, eve and the vault, without the manager')
      t.equal(
        (await db.selectFrom('readable_transfers').selectAll().where('token', '=', token).execute()).filter(
          ({ sender, recipient }) => [sender, recipient].includes(venue.poolManager),
        ).length,
        1,
        'only the liquidity is a transfer of its own',
      )

      t.strictSame(await findDifferences(), [])
      const tables = await readTables(db)
      const to = Number((await started.chain.getHeader('latest'))!.number)
      const repaired = await repair({ ...started, db, from: Number(receipt.blockNumber), to })
      t.match(repaired, { missingLogs: 0, forgedLogs: 0 }, 'the receipts prove the stored logs')
      await reindex(db, modules)
      t.strictSame(diffTables(await readTables(db), tables), [], 'the stored logs are enough to rebuild it')
    },
  )

t.test('a token is priced in an asset of QUOTES, and in no other one', async (t) => {
  const made: { usdc?: Address } = {}
  const { clanker, venue, ann, bob, index, findToken, readTrades, findDifferences, node } = await startClankerV4(
    t,
    async (test) => {
      const usdc = await deployQuote(test, { symbol: 'USDC', decimals: 6, spenders: [] })
      made.usdc = usdc
      return [{ address: usdc, symbol: 'USDC', decimals: 6, usd: { fixed: '1' } }]
    },
  )
  const usdc = made.usdc!
  for (const isFirst of [true, false]) {
    // A thousandth of a dollar for a whole token, in base units of 6 and 18 decimals.
    const { token, key, pool } = await clanker.createToken(ann, { pairedToken: usdc, tick: -345_400, isFirst })
    await node.run(venue.actions.approve(bob, usdc, 10n ** 9n))
    await node.run(venue.actions.swap(bob, { key, tokenIn: usdc, amountIn: 5_000_000n }))
    await index()
    t.match(await findToken(token), { quote_token: usdc, quote_decimals: 6, pool, pool_native: false })
    const [bought] = await readTrades(token)
    t.match(bought, { side: 'buy', trader: bob, quote_amount: '5000000', value_usd: '5.00000000' })
    t.ok(Math.abs(bought!.price / 0.001 - 1) < 0.02, 'a whole token in whole dollars', { price: bought!.price })
  }
  const { token: other } = await clanker.createToken(ann, { name: 'Paired' })
  const { token } = await clanker.createToken(ann, { pairedToken: other })
  await index()
  t.ok(await findToken(other))
  t.equal(await findToken(token), undefined)
  t.strictSame(await findDifferences(), [])
})

t.test(
  'receipts of a launch and of trades are synced ahead of the indexer, which finds the launch of a trade',
  async (t) => {
    const { clanker, venue, ann, bob, findToken, readTrades, sync, expectFresh } = await startClankerV4(t)
    const { token, key, receipt } = await clanker.createToken(ann, { value: parseEther('0.5') })
    const bought = await venue.swapBuy(bob, key, parseEther('1'))
    t.equal((await sync(bought.transactionHash, bob, 'buy')).positions.length, 1)
    t.match(
      await findToken(token),
      { status: 'graduated', creator: ann, trades_total: 2 },
      'with the trade of the launch',
    )
    t.equal((await sync(receipt.transactionHash, ann, 'create', token)).positions.length, 1)
    const [, purchase] = await readTrades(token)
    const sold = await venue.swapSell(bob, key, token, BigInt(purchase!.token_amount))
    t.equal((await sync(sold.transactionHash, bob, 'sell')).positions.length, 1)
    await t.rejects(sync(sold.transactionHash, ann, 'sell'), foreign)
    await expectFresh('the indexer arrives at the same')
  },
)

t.test('a reorg takes launches and trades back, also where nothing replaces them', async (t) => {
  const { clanker, venue, ann, bob, node, index, findToken, expectFresh, db } = await startClankerV4(t)
  const kept = await clanker.createToken(ann, { value: parseEther('0.5') })
  await index()
  const before = await findToken(kept.token)
  const { token } = await clanker.createToken(ann, { value: parseEther('0.5') })
  await venue.swapBuy(bob, kept.key, parseEther('1'))
  await index()
  t.ok(await findToken(token))
  t.ok((await findToken(kept.token))!.price > before!.price)
  await node.reorg(2)
  await expectFresh('the second launch is gone')
  t.equal(await findToken(token), undefined)
  t.match(await findToken(kept.token), { price: before!.price, trades_total: 1, status: 'graduated', pool: kept.pool })
  t.match(await db.selectFrom('platform_figures').selectAll().execute(), [{ tokens_total: 1, tokens_graduated: 1 }])
})

t.test('swaps of one transaction each have their own wallet, as far as transfers show it', async (t) => {
  const { clanker, venue, ann, bob, eve, node, index, readTrades, findDifferences } = await startClankerV4(t)
  const { token, key } = await clanker.createToken(ann)
  const { actions } = venue
  const [coins, weth] = [parseEther('1'), venue.weth]
  await node.run(
    actions.wrap(ann, 20n * coins),
    actions.approve(ann, weth, 20n * coins),
    actions.approve(ann, token, 2n ** 200n),
  )
  const buy = { key, tokenIn: weth, amountIn: coins }
  const sell = { key, tokenIn: token, amountIn: parseEther('1000') }
  await node.run(actions.swapAll(ann, { ...buy, recipient: bob }, { ...buy, recipient: eve }, buy))
  // Settled at once: no transfer has the amount of a single one.
  await node.run(actions.swapTogether(ann, [{ ...buy, recipient: bob }, buy]))
  await node.run(actions.swapAll(ann, sell, { ...sell, payFirst: true }))
  await index()
  const trades = await readTrades(token)
  t.strictSame(
    trades.map(({ side, trader, trader_known }) => [side, trader, trader_known]),
    [
      ['buy', bob, true],
      ['buy', eve, true],
      ['buy', ann, true],
      ['buy', bob, true],
      ['buy', bob, true],
      ['sell', ann, true],
      ['sell', ann, true],
    ],
  )
  t.strictSame(await findDifferences(), [])
})

t.test('a transfer to the manager is of no sale in another transaction', async (t) => {
  const { clanker, venue, ann, bob, node, index, readTrades, findDifferences } = await startClankerV4(t)
  const { token, key } = await clanker.createToken(ann)
  await venue.swapBuy(bob, key, parseEther('1'))
  await venue.swapBuy(ann, key, parseEther('1'))
  const amount = parseEther('1000')
  const give = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [venue.poolManager, amount] })
  await node.run(
    { from: bob, to: token, data: give },
    venue.actions.approve(ann, token, 2n * amount),
    // Settled with a second swap: its own transfers show the wallet only if that one does not count.
    venue.actions.swapTogether(ann, [
      { key, tokenIn: token, amountIn: amount },
      { key, tokenIn: token, amountIn: amount },
    ]),
  )
  await index()
  t.match((await readTrades(token)).slice(-2), [
    { side: 'sell', trader: ann, trader_known: true },
    { side: 'sell', trader: ann, trader_known: true },
  ])
  t.strictSame(await findDifferences(), [])
})

t.test('trades of several pools in one transaction are announced in the order of their logs', async (t) => {
  const { clanker, venue, ann, node, index, db } = await startClankerV4(t)
  const keys = [(await clanker.createToken(ann)).key, (await clanker.createToken(ann)).key]
  const coins = parseEther('1')
  await node.run(venue.actions.wrap(ann, 4n * coins), venue.actions.approve(ann, venue.weth, 4n * coins))
  const orders = [0, 1, 0, 1].map((at) => ({ key: keys[at]!, tokenIn: venue.weth, amountIn: coins }))
  await node.run(venue.actions.swapAll(ann, ...orders))
  await index()
  const events = await listLiveEvents(db, { after: 0, limit: 100 })
  const places = events.flatMap(({ type, data }) => (type === 'trade' ? [JSON.parse(data).logIndex as number] : []))
  t.equal(places.length, 4)
  t.strictSame(
    places,
    places.toSorted((a, b) => a - b),
  )
})

t.test(
  'a swap whose tokens nobody takes has an unknown trader, and pools that others open are not followed',
  async (t) => {
    const { clanker, venue, ann, node, index, readTrades, findDifferences, db } = await startClankerV4(t)
    const { token, key } = await clanker.createToken(ann, { value: parseEther('5') })
    await index()
    const logs = async () =>
      (await db.selectFrom('blocks').select('log_count').execute()).reduce((sum, row) => sum + row.log_count, 0)
    const other = { ...makeKey(token, venue.weth), fee: 500 }
    const { actions } = venue
    await node.run(
      actions.wrap(ann, parseEther('20')),
      actions.approve(ann, venue.weth, parseEther('20')),
      actions.approve(ann, token, 2n ** 200n),
      // At four times the price of the token’s own pool.
      actions.initialize(ann, other, sqrtPriceAtTick(key.currency0 === token ? -216_600 : 216_600)),
    )
    await index()
    const known = await logs()
    await node.run(actions.addFullRange(ann, other, parseEther('10000')))
    await index()
    t.equal(await logs(), known + 1, 'the transfer of the token alone')
    // More is sold in the other pool than is bought: no token leaves the manager, and what the sender adds is no sale here.
    await node.run(
      actions.swapTogether(ann, [
        { key, tokenIn: venue.weth, amountIn: parseEther('0.1') },
        { key: other, tokenIn: token, amountIn: parseEther('5000000000') },
      ]),
    )
    await index()
    t.match((await readTrades(token)).at(-1), { side: 'buy', trader: venue.trader, trader_known: false })
    t.strictSame(await findDifferences(), [])
  },
)

t.test('what a hook takes is in no log: a swap has the amounts of the pool', async (t) => {
  const { clanker, venue, test, ann, bob, index, readTrades, findDifferences, db } = await startClankerV4(t)
  const hook = await deployFeeHook(test, venue)
  const { token, key, pool } = await clanker.createToken(ann, { hook })
  await venue.swapBuy(bob, key, parseEther('1'))
  await index()
  const [bought] = await readTrades(token)
  t.match(bought, { pool, side: 'buy', trader: bob, trader_known: true, quote_amount: String(parseEther('1')) })
  const balances = await db.selectFrom('readable_balances').selectAll().where('token', '=', token).execute()
  const balanceOf = (wallet: string) => BigInt(balances.find((row) => row.wallet === wallet)!.balance)
  t.equal(balanceOf(bob) + balanceOf(hook), BigInt(bought!.token_amount), 'bob gets 2 % less than the pool pays out')
  t.equal(balanceOf(hook), BigInt(bought!.token_amount) / 50n)
  t.strictSame(await findDifferences(), [])
})
