import t from 'tap'
import { type Address, encodeFunctionData, maxUint256, parseEther, zeroAddress } from 'viem'
import { uniswapV2Router02Abi } from '../../../chain/abi/uniswap-v2-router02.ts'
import { AppError } from '../../../errors.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { repair } from '../../../indexer/engine/repair.ts'
import { modules } from '../../../indexer/modules.ts'
import { FLAP_TERMS } from '../../support/launchpads/flap.ts'
import { approve } from '../../support/launchpads/venue.ts'
import { startFlap } from '../fixtures/launchpads/flap.ts'
import { dollars } from '../fixtures/launchpads/four-meme.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const SUPPLY = parseEther('1000000000')
const SALE = FLAP_TERMS.threshold
const START = SUPPLY + FLAP_TERMS.h
const foreign = new AppError('TRANSACTION_FOREIGN')
const EVERYTHING = parseEther('100')
/** What a curve needs is rounded up, and what was paid is kept to the last unit. */
const near = (one: unknown, other: bigint) => {
  const difference = BigInt(String(one)) - other
  return difference < 10n && difference > -10n
}

t.test('a token of Flap is followed from its launch into its pair', async (t) => {
  const run = await startFlap(t)
  const { flap, actions, ann, bob, eve, node, index, findToken, readTrades, findDifferences, db, sync } = run
  const value = parseEther('1')
  const { token, receipt } = await flap.createToken(ann, { name: 'Brig', symbol: 'BRIG', meta: 'bafkrei1', value })
  await index()
  const launched = (await findToken(token))!
  t.match(launched, {
    ...{ name: 'Brig', symbol: 'BRIG', metadata_uri: 'ipfs://bafkrei1', creator: ann, launchpad: flap.address },
    ...{ launchpad_kind: 'flap', venue: 'uniswap-v2-or-v3', lifecycle: 'curve', status: 'curve', decimals: 18 },
    ...{ quote_token: zeroAddress, total_supply: String(SUPPLY), initial_real_token: String(SALE) },
    ...{ initial_virtual_quote: String(FLAP_TERMS.r), initial_virtual_token: String(START) },
    ...{ protocol_fee_bps: null, creator_fee_bps: null, trades_total: 1 },
  })
  const [first] = await readTrades(token)
  const state = await flap.getState(token)
  t.match(first, {
    ...{ side: 'buy', venue: 'curve', trader: ann, recipient: ann, quote_amount: String(value), creator_fee: null },
    ...{ protocol_fee: String(parseEther('0.01')), real_token: String(SALE - state.circulatingSupply) },
    ...{ token_amount: String(state.circulatingSupply), virtual_token: String(START - state.circulatingSupply) },
  })
  t.ok(near(first!.real_quote, state.reserve), 'what the curve holds')
  t.equal(state.reserve, parseEther('0.99'))
  t.ok(Math.abs(first!.price * 1e18 - Number(state.price)) < 1e-9 * Number(state.price), 'the price after the trade')
  t.ok(
    Math.abs(Number(launched.progress) - Number((state.reserve * 10_000n) / BigInt(launched.target_quote)) / 100) <
      0.02,
  )
  t.equal((await sync(receipt.transactionHash, ann, 'create', token)).positions.length, 1)
  t.equal((await sync(receipt.transactionHash, ann, 'buy')).positions.length, 1)
  await t.rejects(sync(receipt.transactionHash, bob, 'buy'), foreign)

  await flap.buy(bob, token, value, { recipient: eve })
  await flap.sell(ann, token, BigInt(first!.token_amount) / 2n)
  await index()
  const [, bought, sold] = await readTrades(token)
  const after = await flap.getState(token)
  t.match(bought, { side: 'buy', trader: eve, recipient: eve }, 'the event names the recipient of a purchase')
  t.match(sold, { side: 'sell', trader: ann, recipient: ann, real_token: String(SALE - after.circulatingSupply) })
  t.ok(near(sold!.real_quote, after.reserve))
  const freed = BigInt(bought!.real_quote!) - BigInt(sold!.real_quote!)
  t.ok(near(BigInt(sold!.quote_amount) + BigInt(sold!.protocol_fee!), freed), 'the proceeds are without the fee')

  await flap.buy(eve, token, EVERYTHING)
  await index()
  const graduated = (await findToken(token))!
  const { pool, status } = await flap.getState(token)
  t.equal(status, 4)
  t.match(graduated, { status: 'graduated', pool: pool.toLowerCase(), venue: 'uniswap-v2', progress: '100.000000' })
  const last = (await readTrades(token)).at(-1)!
  t.match(last, { real_token: '0', real_quote: launched.target_quote })
  t.equal(graduated.pool_token, String(SUPPLY - SALE))
  t.ok(near(graduated.pool_quote, BigInt(launched.target_quote)), 'the pair opens with what the curve held')

  const held = (await readTrades(token)).length
  await node.run(actions.swapBuy(bob, token, value))
  await index()
  const [swap] = (await readTrades(token)).slice(held)
  t.match(swap, { side: 'buy', venue: 'pool', pool: graduated.pool, trader: bob, quote_amount: String(value) })
  const half = BigInt(swap!.token_amount) / 2n
  await node.run(approve(bob, token, run.deployed.uniswapRouter, half), actions.swapSell(bob, token, half))
  await index()
  t.match((await readTrades(token)).slice(held + 1), [{ side: 'sell', venue: 'pool', trader: bob }])

  t.strictSame(await findDifferences(), [])
  const tables = await readTables(db)
  const to = Number((await run.chain.getHeader('latest'))!.number)
  const repaired = await repair({
    ...{ db, chain: run.chain, contracts: run.contracts },
    ...{ from: Number(receipt.blockNumber), to },
  })
  t.match(repaired, { missingLogs: 0, forgedLogs: 0 }, 'the receipts prove the stored logs')
  await run.anvil.stop()
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), tables), [], 'the stored rows are enough to rebuild it, without a node')
})

for (const pools of ['pancake', 'uniswap'] as const)
  for (const isFirst of [true, false])
    t.test(`a pool of ${pools} V3 is traded, token ${isFirst ? 'first' : 'second'}`, async (t) => {
      const run = await startFlap(t, { pools, supplyFirst: isFirst })
      const { flap, v3, ann, bob, eve, index, findToken, readTrades, findDifferences, db } = run
      const { token } = await flap.createToken(ann, { migrator: 'v3', value: parseEther('1'), isFirst })
      await index()
      await flap.buy(bob, token, EVERYTHING)
      await index()
      const pool = (await flap.getState(token)).pool.toLowerCase() as Address
      const opened = (await findToken(token))!
      t.match(opened, { status: 'graduated', pool, venue: 'uniswap-v3', trades_total: 2 })
      const price = Number(opened.target_quote) / Number(SUPPLY - SALE)
      t.ok(Math.abs(opened.price / price - 1) < 1e-6, 'the pool opens with what the curve held')
      const amount = parseEther('0.2')
      await v3.swapBuy(bob, pool, amount, eve)
      await index()
      const [swap] = (await readTrades(token)).slice(2)
      t.match(swap, { side: 'buy', venue: 'pool', pool, trader: eve, quote_amount: String(amount) })
      t.ok(swap!.price > opened.price)
      await v3.swapSell(eve, pool, token, BigInt(swap!.token_amount))
      await index()
      const [sale] = (await readTrades(token)).slice(3)
      t.match(sale, { side: 'sell', venue: 'pool', pool, trader: eve, token_amount: swap!.token_amount })
      t.strictSame(await findDifferences(), [])
      const tables = await readTables(db)
      await reindex(db, modules)
      t.strictSame(diffTables(await readTables(db), tables), [])
    })

t.test('a token that is priced in another asset counts in its units', async (t) => {
  const run = await startFlap(t)
  const { flap, router, usdc, node, ann, bob, eve, index, findToken, readTrades, findDifferences } = run
  const terms = { r: parseEther('6000'), h: 0n, k: 0n, threshold: SALE }
  const { token } = await flap.createToken(ann, { quote: usdc, terms, value: dollars(1_000) })
  await flap.buy(bob, token, dollars(2_000), { quote: usdc, recipient: eve })
  await index()
  const state = await flap.getState(token)
  t.equal(state.reserve, dollars(2_970))
  const found = (await findToken(token))!
  t.match(found, {
    ...{ quote_token: usdc, quote_decimals: 6, initial_virtual_quote: String(dollars(6_000)) },
    ...{ target_quote: String(dollars(24_000)), initial_virtual_token: String(SUPPLY) },
  })
  t.ok(near(found.real_quote, state.reserve))
  const [first, second] = await readTrades(token)
  t.match(first, { trader: ann, quote_amount: String(dollars(1_000)), protocol_fee: String(dollars(10)) })
  t.match(second, { trader: eve, quote_amount: String(dollars(2_000)), protocol_fee: String(dollars(20)) })
  t.ok(Math.abs(second!.price / (Number(state.price) / 1e18) - 1) < 1e-6, 'dollars for a token')
  await flap.buy(bob, token, dollars(30_000), { quote: usdc })
  await router.swap(bob, dollars(1_000), [usdc, token])
  await index()
  t.match(await findToken(token), { status: 'graduated', venue: 'uniswap-v2' })
  t.match((await readTrades(token)).at(-1), { venue: 'pool', trader: bob, quote_amount: String(dollars(1_000)) })
  t.strictSame(await findDifferences(), [])
  await node.mine(90_000)
  await index()
  t.match(await findToken(token), { volume_h24: '0' })
  t.strictSame(await findDifferences(), [])
})

t.test('amounts of a token with a tax are those of the event and of the pair, and balances what arrives', async (t) => {
  const run = await startFlap(t, { supplyFirst: false })
  const { flap, actions, node, deployed, ann, bob, index, findToken, readTrades, findDifferences, db } = run
  const balanceOf = async (token: Address, wallet: Address) => {
    const held = db.selectFrom('readable_balances').select('balance').where('token', '=', token)
    return BigInt((await held.where('wallet', '=', wallet).executeTakeFirstOrThrow()).balance)
  }
  const { token } = await flap.createToken(ann, { taxBps: 500n, value: parseEther('1') })
  await index()
  const [first] = await readTrades(token)
  t.match(first, { quote_amount: String(parseEther('1')), protocol_fee: String(parseEther('0.01')), creator_fee: null })
  t.ok(near(first!.real_quote, parseEther('0.94')), 'the fee and the tax are paid besides')
  const held = BigInt(first!.token_amount)
  await flap.sell(ann, token, held)
  await index()
  const [, sold] = await readTrades(token)
  t.ok(near(sold!.quote_amount, (parseEther('0.94') * 94n) / 100n))
  t.ok(near(sold!.protocol_fee, parseEther('0.0094')))
  await flap.buy(bob, token, EVERYTHING)
  await node.run(actions.swapBuy(ann, token, parseEther('1')))
  await index()
  const swap = (await readTrades(token)).at(-1)!
  t.match(swap, { side: 'buy', venue: 'pool', trader: ann, quote_amount: String(parseEther('1')) })
  const [out, got] = [BigInt(swap.token_amount), await balanceOf(token, ann)]
  t.equal(got, out - (out * 500n) / 10_000n, 'the pair paid more than arrived')
  const sell = {
    ...{ abi: uniswapV2Router02Abi, functionName: 'swapExactTokensForETHSupportingFeeOnTransferTokens' as const },
    args: [got, 0n, [token, deployed.weth], ann, maxUint256] as const,
  }
  const router = deployed.uniswapRouter
  await node.run(approve(ann, token, router, got), { from: ann, to: router, data: encodeFunctionData(sell) })
  await index()
  t.match((await readTrades(token)).at(-1), {
    ...{ side: 'sell', venue: 'pool', trader: ann, token_amount: String(got - (got * 500n) / 10_000n) },
  })
  t.equal(await balanceOf(token, ann), 0n)
  t.match(await findToken(token), { status: 'graduated', venue: 'uniswap-v2', trades_total: 5 })
  t.strictSame(await findDifferences(), [])
})

t.test('a graduation into a pool that another contract holds ends the curve', async (t) => {
  const { flap, ann, bob, index, findToken, findDifferences } = await startFlap(t)
  const { token } = await flap.createToken(ann, { migrator: 'infinity' })
  await flap.buy(bob, token, EVERYTHING)
  await index()
  t.match(await findToken(token), {
    status: 'completed',
    pool: null,
    venue: 'uniswap-v2-or-v3',
    progress: '100.000000',
  })
  t.strictSame(await findDifferences(), [])
})

t.test('receipts are synced ahead of the indexer, which finds the launch among others', async (t) => {
  const run = await startFlap(t)
  const { flap, actions, v3, ann, bob, eve, node, findToken, readTrades, sync, expectFresh, db } = run
  const { token, receipt } = await flap.createToken(ann, { value: parseEther('1') })
  const { token: other } = await flap.createToken(eve, { migrator: 'v3' })
  for (let count = 0; count < 5; count++) await flap.createToken(eve)
  const bought = await flap.buy(bob, token, EVERYTHING)
  t.equal((await sync(bought.transactionHash, bob, 'buy')).positions.length, 1)
  t.match(await findToken(token), { status: 'graduated', creator: ann, trades_total: 2, venue: 'uniswap-v2' })
  t.equal((await db.selectFrom('tokens').select('address').execute()).length, 1, 'no other launch is applied')
  t.equal((await sync(receipt.transactionHash, ann, 'create', token)).positions.length, 1)
  const [swapped] = await node.run(actions.swapBuy(bob, token, parseEther('1')))
  t.equal((await sync(swapped!.transactionHash, bob, 'buy')).positions.length, 1)
  const amount = BigInt((await readTrades(token)).at(-1)!.token_amount)
  const sale = [approve(bob, token, run.deployed.uniswapRouter, amount), actions.swapSell(bob, token, amount)]
  const sold = (await node.run(...sale)).at(-1)!
  t.equal((await sync(sold.transactionHash, bob, 'sell')).positions.length, 1)
  await flap.buy(bob, other, EVERYTHING)
  const pool = (await flap.getState(other)).pool.toLowerCase() as Address
  const swap = await v3.swapBuy(eve, pool, parseEther('0.1'))
  t.equal((await sync(swap.transactionHash, eve, 'buy')).positions.length, 1, 'the swap of PancakeSwap V3 alone')
  t.match(await findToken(other), { status: 'graduated', pool, venue: 'uniswap-v3', trades_total: 2 })
  await expectFresh('the indexer arrives at the same')
})

t.test('a reorg takes launches, trades and graduations back, also where nothing replaces them', async (t) => {
  const run = await startFlap(t)
  const { flap, actions, ann, bob, node, index, findToken, expectFresh } = run
  const { token } = await flap.createToken(ann, { value: parseEther('1') })
  const { token: other } = await flap.createToken(ann, { value: parseEther('1'), migrator: 'v3' })
  await index()
  const before = await findToken(token)
  const { token: gone } = await flap.createToken(bob)
  await flap.buy(bob, token, EVERYTHING)
  await flap.buy(bob, other, EVERYTHING)
  await node.run(actions.swapBuy(bob, token, parseEther('1')))
  await index()
  t.match(await findToken(token), { status: 'graduated', venue: 'uniswap-v2' })
  t.match(await findToken(other), { status: 'graduated', venue: 'uniswap-v3' })
  await node.reorg(4)
  await expectFresh('the graduations are gone')
  t.equal(await findToken(gone), undefined)
  const { price, real_quote } = before!
  for (const one of [token, other])
    t.match(await findToken(one), { status: 'curve', pool: null, venue: 'uniswap-v2-or-v3', price, real_quote })
  await flap.buy(bob, other, EVERYTHING)
  await index()
  t.match(await findToken(other), { status: 'graduated', venue: 'uniswap-v3' })
  await expectFresh('it graduates again')
})
