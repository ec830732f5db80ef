import t, { type Test } from 'tap'
import { type Address, parseEther, zeroAddress } from 'viem'
import type { QuoteAsset } from '../../../chain/rates.ts'
import { resolveContracts } from '../../../indexer/contracts.ts'
import { prepareChainState } from '../../../indexer/engine/contracts.ts'
import { Follower } from '../../../indexer/engine/follow.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import { makeActions } from '../../support/actors.ts'
import { setAnswer } from '../../support/launchpads/quoted.ts'
import { coins, dollars, quotesOf, startQuoted } from '../fixtures/launchpads/quoted.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

type Started = Awaited<ReturnType<typeof startQuoted>>

const big = (value: string | null) => BigInt(value ?? 0)
const sumOf = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n)
const isNear = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))

/** US dollars for one native coin at a block, eight decimals. */
async function readUsd({ db }: Started, block: number): Promise<bigint> {
  const row = await db.selectFrom('blocks').select('quote_usd').where('number', '=', block).executeTakeFirstOrThrow()
  return big(row.quote_usd!.replace('.', ''))
}

interface Asset {
  quote: Address
  decimals: number
  /** US dollars for a whole unit, eight decimals. */
  usd: bigint
  /** The base of all amounts, in base units. */
  one: bigint
}

/** Everything that a token goes through, priced in an asset. */
async function liveThrough(t: Test, started: Started, { quote, decimals, usd, one }: Asset) {
  const { launchpad, ann, bob, eve, index, readToken, readTrades } = started
  const { token, receipt } = await launchpad.create(ann, quote, 'KTCH', 4_000n * one)
  await launchpad.buy(bob, token, 100n * one)
  await index()
  const launched = (await readToken(token))!
  t.match(launched, { quote_token: quote, quote_decimals: decimals, decimals: 18, status: 'curve' })
  t.equal((await started.sync(receipt.transactionHash, ann, 'create', token)).positions.length, 1)

  const [bought] = await readTrades(token)
  t.match(bought, { side: 'buy', trader: bob, quote_amount: String(100n * one), quote_token: quote })
  const nativeUsd = await readUsd(started, bought!.block_number)
  const rate = (usd * 10n ** 36n) / nativeUsd
  const whole = 10n ** BigInt(decimals)
  t.equal(bought!.rate_native, String(rate))
  t.equal(bought!.value_native, String((100n * one * rate) / (whole * 10n ** 18n)), 'the value in native coin, by hand')
  t.equal(big(bought!.value_usd!.replace('.', '')), (100n * one * usd) / whole, 'the value in dollars, by hand')
  const price = Number(bought!.virtual_quote) / Number(whole) / (Number(bought!.virtual_token) / 1e18)
  t.ok(isNear(bought!.price, price), 'the price of a whole token in whole units', { price, stored: bought!.price })
  t.ok(isNear(bought!.price_usd!, (price * Number(usd)) / 1e8))
  t.match(launched, { rate_native: String(rate) })
  const supply = 10n ** 27n
  const cap = (big(bought!.virtual_quote) * supply) / big(bought!.virtual_token)
  t.equal(launched.market_cap, String((cap * rate) / (whole * 10n ** 18n)), 'the market cap in native coin')
  t.ok(isNear(launched.ath_market_cap_usd!, bought!.price_usd! * 1e9))

  await launchpad.sell(bob, token, big(bought!.token_amount) / 2n, eve)
  await launchpad.buy(eve, token, 100_000n * one)
  await index()
  t.match(await readToken(token), { status: 'completed', progress: '100.000000' })
  const before = (await readToken(token))!
  const pool = await launchpad.graduate(bob, token)
  await index()
  const graduated = (await readToken(token))!
  t.match(graduated, { status: 'graduated', pool })
  t.ok(Math.abs(graduated.price / before.price - 1) < 0.01, 'the pool opens at the last price of the curve')
  const held = (await readTrades(token)).length
  await launchpad.router.swap(bob, 50n * one, [quote, token])
  await launchpad.router.swap(eve, 10n ** 24n, [token, quote])
  await launchpad.claim(ann, token)
  await index()
  t.match((await readTrades(token)).slice(held), [
    { side: 'buy', venue: 'pool', trader: bob, quote_amount: String(50n * one) },
    { side: 'sell', venue: 'pool', trader: eve, token_amount: String(10n ** 24n) },
  ])
  return token
}

/** Volume and profit of the wallets, and the sums of the platform, as the trades say. */
async function expectSums(t: Test, { db, readTrades }: Started): Promise<void> {
  const trades = await readTrades()
  const nativeOf = (trade: (typeof trades)[number]) => big(trade.value_native ?? trade.quote_amount)
  const feeOf = (trade: (typeof trades)[number], fee: string | null) =>
    trade.value_native === null ? big(fee) : (big(fee) * big(trade.value_native)) / big(trade.quote_amount)
  const wallets = await db.selectFrom('wallet_figures').selectAll().execute()
  t.ok(wallets.length > 2)
  for (const row of wallets) {
    const own = trades.filter(({ trader }) => trader === row.wallet)
    t.equal(big(row.volume_total), sumOf(own.map(nativeOf)), `${row.wallet} in native coin`)
    t.equal(big(row.volume_h24), big(row.volume_total))
    const dollars = sumOf(own.map(({ value_usd }) => big(value_usd!.replace('.', ''))))
    t.equal(big(row.volume_usd_total.replace('.', '')), dollars, `${row.wallet} in US dollars`)
    const profit = sumOf(own.map(({ realized, realized_native }) => big(realized_native ?? realized)))
    t.equal(big(row.realized_total), profit, `${row.wallet}: profit in native coin`)
  }
  const platform = await db.selectFrom('platform_figures').selectAll().executeTakeFirstOrThrow()
  t.equal(big(platform.volume_total), sumOf(trades.map(nativeOf)))
  t.equal(big(platform.protocol_fees_total), sumOf(trades.map((trade) => feeOf(trade, trade.protocol_fee))))
  t.equal(big(platform.creator_fees_total), sumOf(trades.map((trade) => feeOf(trade, trade.creator_fee))))
  for (const { token, volume_total, volume_quote_total, protocol_fees } of await db
    .selectFrom('readable_token_figures')
    .selectAll()
    .execute()) {
    const own = trades.filter((trade) => trade.token === token)
    t.equal(big(volume_total), sumOf(own.map(nativeOf)), 'volume of a token in native coin')
    const quoted = own[0]?.value_native == null ? null : String(sumOf(own.map(({ quote_amount }) => big(quote_amount))))
    t.equal(volume_quote_total, quoted, 'and in its quote asset')
    t.equal(big(protocol_fees), sumOf(own.map(({ protocol_fee }) => big(protocol_fee))))
  }
}

t.test('tokens priced in assets with 6 and 8 decimals are followed into their pools, and valued', async (t) => {
  const started = await startQuoted(t)
  const { node, deployed, usdc, btc, feed, owner, ann, bob, eve, db, index, readTrades, findDifferences } = started
  const actions = makeActions(deployed)
  await node.run(actions.launch(ann, 'COIN', parseEther('0.1')))
  const inDollars = await liveThrough(t, started, { quote: usdc, decimals: 6, usd: 10n ** 8n, one: dollars(1) })
  await node.run(setAnswer(owner, feed, 30_000n * 10n ** 8n))
  const usd = 30_000n * 10n ** 8n
  const inCoins = await liveThrough(t, started, { quote: btc, decimals: 8, usd, one: coins(0.001) })

  await node.run(setAnswer(owner, feed, 90_000n * 10n ** 8n))
  await started.launchpad.router.swap(bob, coins(1) / 100n, [btc, inCoins])
  await index()
  const [last] = (await readTrades(inCoins)).slice(-1)
  t.equal(last!.value_usd, '900.00000000', 'at the new price of the feed')
  // Sells for what was bought at two prices.
  const { token_amount } = (await readTrades(inCoins)).find(({ trader, side }) => trader === bob && side === 'buy')!
  await started.launchpad.router.swap(bob, big(token_amount) / 4n, [inCoins, btc])
  await started.launchpad.router.swap(eve, dollars(100), [usdc, inDollars])
  await index()

  const natives = (await readTrades()).filter(({ quote_token }) => quote_token === zeroAddress)
  t.ok(natives.length > 0)
  for (const { value_native, rate_native, realized_native } of natives)
    t.strictSame(
      { value_native, rate_native, realized_native },
      { value_native: null, rate_native: null, realized_native: null },
    )
  await expectSums(t, started)
  t.strictSame(await findDifferences(), [])
  const tables = await readTables(db)
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), tables), [], 'the stored logs are enough to rebuild it')
  await started.expectFresh('a database that indexed it at once holds the same')
  await started.expectReports(t, [
    ['update trades set value_native = value_native + 1 where value_native is not null', /value_native: stored/],
    ['update trades set rate_native = 1 where rate_native is not null', /rate_native: stored/],
    ['update balances set lot_cost_native = 7 where lot_cost_native is not null', /lot_cost_native: stored/],
    ['update candles set volume_native = 7 where volume_native is not null', /volume_native: stored/],
    [
      'update token_figures set volume_quote_total = 7 where volume_quote_total is not null',
      /volume_quote_total: stored/,
    ],
    [`update blocks set quote_prices = '{"${btc}":"7"}' where quote_prices is not null`, /price of 0x\w+: stored 7/],
  ])
})

t.test('a reorg takes back what was traded in other assets, also where nothing replaces it', async (t) => {
  const started = await startQuoted(t)
  const { launchpad, node, usdc, btc, feed, owner, ann, bob, index, readToken, expectFresh } = started
  const { token } = await launchpad.create(ann, usdc, 'KTCH', dollars(4_000))
  await launchpad.buy(bob, token, dollars(100))
  await index()
  const before = await readToken(token)
  await launchpad.buy(bob, token, dollars(900))
  await index()
  await node.reorg(1)
  await expectFresh('the purchase is gone')
  t.match(await readToken(token), { market_cap: before!.market_cap, volume_quote_total: before!.volume_quote_total })

  await node.run(setAnswer(owner, feed, 30_000n * 10n ** 8n))
  await launchpad.create(ann, btc, 'YAWL', coins(1))
  await index()
  await node.reorg(2)
  await expectFresh('the launch and the price are gone')
  await launchpad.buy(bob, token, dollars(50_000))
  await index()
  const completed = await readToken(token)
  await launchpad.graduate(bob, token)
  await index()
  await node.reorg(1)
  await expectFresh('the graduation is gone')
  t.match(await readToken(token), { status: 'completed', pool: null, market_cap: completed!.market_cap })
})

t.test('a launch in an asset that QUOTES does not name has no effect, is counted, and later ones count', async (t) => {
  const started = await startQuoted(t, (chain) => quotesOf(chain).slice(0, 1))
  const { launchpad, test, chain, btc, usdc, ann, bob, db, index, readToken, findDifferences, sync } = started
  const { token, receipt } = await launchpad.create(ann, btc, 'YAWL', coins(1))
  await launchpad.buy(bob, token, coins(0.1))
  const { token: followed } = await launchpad.create(ann, usdc, 'KTCH', dollars(4_000))
  const unquoted = new Map<string, number>()
  const indexed = await prepareChainState(db, chain, test.contracts, test.config)
  const follower = new Follower({
    ...{ db, chain, contracts: indexed, finality: test.config.finality },
    onApplied: ({ rejected }) => {
      for (const [asset, launches] of rejected.unquoted) unquoted.set(asset, (unquoted.get(asset) ?? 0) + launches)
    },
  })
  while ((await follower.step()) === 'again') {
    // Another step.
  }
  t.strictSame([...unquoted], [[btc, 1]])
  t.equal(await readToken(token), undefined)
  t.ok(await readToken(followed))
  t.strictSame(await started.readTrades(token), [])
  await t.rejects(sync(receipt.transactionHash, ann, 'create', token), /expected event/)
  t.strictSame(await findDifferences(), [])

  const config = { ...test.config, quotes: quotesOf(started) }
  const contracts = await resolveContracts(chain, config)
  await prepareChainState(db, chain, contracts, config)
  Object.assign(test, { config, contracts })
  const later = await launchpad.create(ann, btc, 'BRIG', coins(1))
  await launchpad.buy(bob, later.token, coins(0.1))
  await index()
  t.equal(await readToken(token), undefined, 'the earlier one stays without effect')
  t.match(await readToken(later.token), { quote_decimals: 8, trades_total: 1 })
  t.strictSame(await findDifferences(), [])
  const tables = await readTables(db)
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), tables), [], 'a rebuild decides the same')
})

t.test(
  'other decimals or another price of an asset that is followed rebuild all figures, another symbol none',
  async (t) => {
    const { db, chain, contracts, config } = await startQuoted(t)
    const readRules = async () => (await db.selectFrom('chain_state').select('rules').executeTakeFirstOrThrow()).rules
    const rules = await readRules()
    t.ok(rules > 0)
    /** Whether the next start rebuilds after this change of the dollar. */
    const rebuilds = async (change: Partial<QuoteAsset>) => {
      const changed = [...contracts.quotes].map(([address, quote]) => [
        address,
        { ...quote, ...(quote.symbol === 'USDC' && change) },
      ])
      await prepareChainState(db, chain, { ...contracts, quotes: new Map(changed as [string, QuoteAsset][]) }, config)
      const found = await readRules()
      await db.updateTable('chain_state').set({ rules }).execute()
      return found === 0
    }
    t.equal(await rebuilds({}), false)
    t.equal(await rebuilds({ symbol: 'USDT' }), false)
    t.equal(await rebuilds({ decimals: 7 }), true)
    t.equal(await rebuilds({ decimals: 7 }), false, 'it has them')
    t.equal(await rebuilds({ decimals: 7, route: { fixed: '2' } }), true)
    t.equal(await rebuilds({}), true, 'and back')
  },
)

t.test('the price of a pool is a route, while the pool holds enough', async (t) => {
  const started = await startQuoted(t, (chain) => [
    { address: chain.usdc, symbol: 'USDC', decimals: 6, usd: { fixed: '1' } },
  ])
  const { launchpad, test, chain, usdc, btc, ann, bob, db, index, readToken, readTrades, findDifferences } = started
  // A pool of both assets: the launchpad opens it for a token of its own, so it is made by hand.
  const pool = await launchpad.router.openPool(bob, [usdc, dollars(60_000)], [btc, coins(1)])
  const quotes = [
    ...test.config.quotes,
    {
      ...{ address: btc, symbol: 'BTC', decimals: 8 },
      usd: { pool, venue: 'uniswap-v2' as const, quote: usdc, minLiquidityUsd: '100000' },
    },
  ]
  const config = { ...test.config, quotes }
  const contracts = await resolveContracts(chain, config)
  Object.assign(test, { config, contracts })
  await index()
  const { token } = await launchpad.create(ann, btc, 'YAWL', coins(4))
  await launchpad.buy(bob, token, coins(0.1))
  await index()
  const [first] = await readTrades(token)
  t.equal(first!.value_usd, '6000.00000000', 'a tenth at 60,000 dollars')
  await launchpad.router.swap(bob, dollars(60_000), [usdc, btc])
  await launchpad.buy(bob, token, coins(0.1))
  await index()
  const second = (await readTrades(token)).at(-1)!
  t.ok(Number(second.value_usd) > 20_000, 'twice the dollars for half of the coins', { value: second.value_usd })
  // What is left is worth less than the minimum.
  await launchpad.router.swap(bob, coins(2), [btc, usdc])
  await launchpad.buy(bob, token, coins(0.1))
  await index()
  t.match((await readTrades(token)).at(-1), { value_usd: null, value_native: '0', rate_native: null })
  t.match(await readToken(token), { market_cap: '0', rate_native: null })
  await launchpad.sell(bob, token, big(first!.token_amount) / 4n)
  await index()
  const unvalued = { side: 'sell', value_native: '0', realized_native: '0' }
  t.match((await readTrades(token)).at(-1), unvalued, 'no loss of what the tokens had cost')
  // A reorg of a later sale replays the wallet's trades.
  await launchpad.sell(bob, token, big(first!.token_amount) / 4n)
  await index()
  await test.node.reorg(1)
  await test.node.mine()
  await index()
  t.match((await readTrades(token)).at(-1), unvalued)
  t.strictSame(await findDifferences(), [])
  const tables = await readTables(db)
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), tables), [])
})
