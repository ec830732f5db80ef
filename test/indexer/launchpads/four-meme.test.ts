import t from 'tap'
import { type Address, parseEther, zeroAddress } from 'viem'
import { AppError } from '../../../errors.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { repair } from '../../../indexer/engine/repair.ts'
import { modules } from '../../../indexer/modules.ts'
import { approve } from '../../support/launchpads/venue.ts'
import { dollars, startFourMeme } from '../fixtures/launchpads/four-meme.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const SUPPLY = parseEther('1000000000')
const SALE = parseEther('800000000')
const foreign = new AppError('TRANSACTION_FOREIGN')
const EVERYTHING = parseEther('100')

t.test('a token of four.meme is followed from its launch into its pair', async (t) => {
  const run = await startFourMeme(t)
  const { fourMeme, actions, ann, bob, eve, node, index, findToken, readTrades, findDifferences, db, sync } = run
  const value = parseEther('1.01')
  const { token, receipt } = await fourMeme.createToken(ann, { name: 'Dhow', symbol: 'DHOW', value })
  await index()
  const launched = (await findToken(token))!
  t.match(launched, {
    ...{ name: 'Dhow', symbol: 'DHOW', metadata_uri: '', creator: ann, launchpad: fourMeme.address, decimals: 18 },
    ...{ launchpad_kind: 'four-meme', venue: 'uniswap-v2', lifecycle: 'curve', status: 'curve' },
    ...{ quote_token: zeroAddress, total_supply: String(SUPPLY), initial_real_token: String(SALE) },
    ...{ target_quote: String(parseEther('18')), protocol_fee_bps: null, creator_fee_bps: null, trades_total: 1 },
  })
  const [first] = await readTrades(token)
  t.match(first, {
    ...{ side: 'buy', venue: 'curve', trader: ann, recipient: ann, quote_amount: String(value), creator_fee: null },
    ...{ protocol_fee: String(parseEther('0.01')), real_quote: String(parseEther('1')) },
    real_token: String(SALE - BigInt(first!.token_amount)),
  })
  t.equal(Number(launched.progress).toFixed(3), (100 / 18).toFixed(3))
  t.equal((await sync(receipt.transactionHash, ann, 'create', token)).positions.length, 1)
  t.equal((await sync(receipt.transactionHash, ann, 'buy')).positions.length, 1)
  await t.rejects(sync(receipt.transactionHash, bob, 'buy'), foreign)

  await fourMeme.buy(bob, token, value, { recipient: eve })
  await fourMeme.sell(ann, token, BigInt(first!.token_amount) / 2n)
  await index()
  const [, bought, sold] = await readTrades(token)
  t.match(bought, { side: 'buy', trader: eve, recipient: eve }, 'the event names the recipient of a purchase')
  t.match(sold, { side: 'sell', trader: ann, recipient: ann })
  t.ok(Number(bought!.price) > Number(first!.price) && Number(sold!.price) < Number(bought!.price))
  t.equal(
    BigInt(bought!.real_quote!) - BigInt(sold!.real_quote!),
    BigInt(sold!.quote_amount) + BigInt(sold!.protocol_fee!),
    'the proceeds are without the fee',
  )

  await fourMeme.buy(eve, token, EVERYTHING)
  await index()
  const completed = (await findToken(token))!
  t.match(completed, { status: 'completed', progress: '100.000000', real_token: '0', pool: null })
  t.equal(completed.real_quote, String(parseEther('18')))
  await fourMeme.graduate(bob, token)
  await index()
  const pool = await fourMeme.getPair(token)
  const graduated = (await findToken(token))!
  t.match(graduated, { status: 'graduated', pool, pool_quote: String(parseEther('18')) })
  t.ok(Math.abs(graduated.price / completed.price - 1) < 1e-6, 'the pool opens at the last price of the curve')

  const held = (await readTrades(token)).length
  await node.run(actions.swapBuy(bob, token, value))
  await index()
  const [swap] = (await readTrades(token)).slice(held)
  t.match(swap, { side: 'buy', venue: 'pool', pool, trader: bob, quote_amount: String(value) })
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

t.test('a token that is priced in another asset counts in its units', async (t) => {
  const run = await startFourMeme(t, { migratesAtOnce: true })
  const { fourMeme, router, usdc, node, ann, bob, eve, index, findToken, readTrades, findDifferences } = run
  const target = dollars(20_000_000)
  const { token } = await fourMeme.createToken(ann, { quote: usdc, target, value: dollars(10_100) })
  await fourMeme.buy(bob, token, dollars(1_010_000), { quote: usdc, recipient: eve })
  await index()
  t.match(await findToken(token), {
    ...{ quote_token: usdc, quote_decimals: 6, target_quote: String(target), real_quote: String(dollars(1_010_000)) },
    progress: '5.050000',
  })
  t.match(await readTrades(token), [
    { trader: ann, quote_amount: String(dollars(10_100)), protocol_fee: String(dollars(100)) },
    { trader: eve, quote_amount: String(dollars(1_010_000)), protocol_fee: String(dollars(10_000)) },
  ])
  const [, second] = await readTrades(token)
  t.ok(Number(second!.price) > 0.008 && Number(second!.price) < 0.011, 'dollars for a token')
  // It graduates in the same transaction.
  await fourMeme.buy(bob, token, dollars(30_000_000), { quote: usdc })
  const pool = await fourMeme.getPair(token, usdc)
  await router.swap(bob, dollars(100_000), [usdc, token])
  await index()
  t.match(await findToken(token), { status: 'graduated', pool })
  t.match((await readTrades(token)).at(-1), { venue: 'pool', trader: bob, quote_amount: String(dollars(100_000)) })
  t.strictSame(await findDifferences(), [])
  await node.mine(90_000)
  await index()
  t.match(await findToken(token), { volume_h24: '0' })
  t.strictSame(await findDifferences(), [], 'fees that no event has leave the window as nothing')
})

t.test('a pair that somebody has created before the graduation is the pool', async (t) => {
  const { fourMeme, usdc, ann, bob, eve, index, findToken, findDifferences, node, actions } = await startFourMeme(t)
  const { token } = await fourMeme.createToken(ann, { value: parseEther('1') })
  await fourMeme.createPair(eve, token)
  await fourMeme.createPair(eve, token, usdc)
  await index()
  t.match(await findToken(token), { status: 'curve', pool: null })
  await fourMeme.buy(bob, token, EVERYTHING)
  await fourMeme.graduate(bob, token)
  await node.run(actions.swapBuy(bob, token, parseEther('1')))
  await index()
  t.match(await findToken(token), { status: 'graduated', pool: await fourMeme.getPair(token), trades_total: 3 })
  t.strictSame(await findDifferences(), [])
})

t.test('receipts are synced ahead of the indexer, which finds the launch among others', async (t) => {
  const run = await startFourMeme(t)
  const { fourMeme, actions, ann, bob, eve, node, findToken, readTrades, sync, expectFresh, db } = run
  const { token, receipt } = await fourMeme.createToken(ann, { value: parseEther('1') })
  // Events name their tokens in no topic: those of others are found as well.
  const others: Address[] = []
  for (let count = 0; count < 70; count++) others.push((await fourMeme.createToken(eve)).token)
  const bought = await fourMeme.buy(bob, token, EVERYTHING)
  t.equal((await sync(bought.transactionHash, bob, 'buy')).positions.length, 1)
  t.match(await findToken(token), { status: 'completed', creator: ann, trades_total: 2 })
  t.equal((await db.selectFrom('tokens').select('address').execute()).length, 1, 'no other launch is applied')
  t.equal((await sync(receipt.transactionHash, ann, 'create', token)).positions.length, 1)
  await fourMeme.graduate(bob, token)
  const [swapped] = await node.run(actions.swapBuy(bob, token, parseEther('1')))
  t.equal((await sync(swapped!.transactionHash, bob, 'buy')).positions.length, 1)
  t.match(await findToken(token), { status: 'graduated', pool: await fourMeme.getPair(token) })
  const amount = BigInt((await readTrades(token)).at(-1)!.token_amount)
  const sale = [approve(bob, token, run.deployed.uniswapRouter, amount), actions.swapSell(bob, token, amount)]
  const sold = (await node.run(...sale)).at(-1)!
  t.equal((await sync(sold.transactionHash, bob, 'sell')).positions.length, 1)
  await expectFresh('the indexer arrives at the same')
})

t.test('a reorg takes launches, trades and graduations back, also where nothing replaces them', async (t) => {
  const run = await startFourMeme(t)
  const { fourMeme, actions, ann, bob, node, index, findToken, readAnswers, expectFresh } = run
  const { token } = await fourMeme.createToken(ann, { value: parseEther('1') })
  await fourMeme.buy(bob, token, EVERYTHING)
  await index()
  const completed = await findToken(token)
  const { token: second } = await fourMeme.createToken(bob)
  await fourMeme.graduate(bob, token)
  await node.run(actions.swapBuy(bob, token, parseEther('1')))
  await index()
  t.match(await findToken(token), { status: 'graduated' })
  t.equal((await readAnswers()).length, 3)
  await node.reorg(3)
  await expectFresh('the graduation is gone')
  t.equal(await findToken(second), undefined)
  t.equal((await readAnswers()).length, 1, 'with what was read for it')
  const { price, real_quote } = completed!
  t.match(await findToken(token), { status: 'completed', pool: null, price, real_quote })
})
