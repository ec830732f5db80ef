import t from 'tap'
import { parseEther } from 'viem'
import { AppError } from '../../../errors.ts'
import { resolveContracts } from '../../../indexer/contracts.ts'
import { prepareChainState } from '../../../indexer/engine/contracts.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import { startNadFun } from '../fixtures/launchpads/nad-fun.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const foreign = new AppError('TRANSACTION_FOREIGN')

const all = parseEther('600000')

t.test('a token of nad.fun is followed from its launch into its Uniswap V3 pool', async (t) => {
  for (const isFirst of [true, false]) {
    const { nadFun, venue, ann, bob, eve, index, readToken, readTrades, findDifferences, db, sync } =
      await startNadFun(t)
    const value = parseEther('1000')
    const { token, pool, receipt } = await nadFun.createToken(ann, { name: 'Ketch', symbol: 'KTCH', value, isFirst })
    await index()
    const launched = await readToken(token)
    t.match(launched, {
      ...{ name: 'Ketch', symbol: 'KTCH', metadata_uri: 'ipfs://ketch', creator: ann, launchpad: nadFun.address },
      ...{
        launchpad_kind: 'nad-fun',
        venue: 'uniswap-v3',
        status: 'curve',
        total_supply: String(parseEther('1000000000')),
      },
      ...{ protocol_fee_bps: null, creator_fee_bps: null, initial_real_token: String(parseEther('793100000')) },
    })
    const [first] = await readTrades(token)
    t.match(first, { side: 'buy', trader: ann, recipient: ann, protocol_fee: null, creator_fee: null, venue: 'curve' })
    t.equal(
      BigInt(first!.real_token!),
      BigInt(launched.initial_real_token) - BigInt(first!.token_amount),
      'the tokens for sale are fewer by those that were bought',
    )
    t.equal((await sync(receipt.transactionHash, ann, 'create', token)).positions.length, 1)
    await t.rejects(sync(receipt.transactionHash, bob, 'buy'), foreign)

    await nadFun.buy(bob, token, value, eve)
    await nadFun.sell(ann, token, BigInt(first!.token_amount) / 2n, bob)
    await index()
    t.match(
      await readTrades(token),
      [{ trader: ann }, { side: 'buy', trader: eve, recipient: eve }, { side: 'sell', trader: bob, recipient: bob }],
      'the event names the wallet that gets what is paid out',
    )

    await nadFun.buy(eve, token, all)
    await index()
    t.match(await readToken(token), { status: 'completed', progress: '100.000000', real_token: '0' })
    const before = await readToken(token)
    await nadFun.graduate(bob, token)
    await index()
    const graduated = await readToken(token)
    t.match(graduated, { status: 'graduated', pool })
    t.ok(Math.abs(graduated.price / before.price - 1) < 0.01, 'the pool opens at the last price of the curve', {
      opened: graduated.price,
      last: before.price,
    })

    const bought = await venue.swapBuy(bob, pool, value)
    const held = (await readTrades(token)).length
    await index()
    const [swap] = (await readTrades(token)).slice(held)
    t.match(swap, {
      side: 'buy',
      venue: 'pool',
      trader: bob,
      quote_amount: String(value),
      tx_hash: bought.transactionHash,
    })
    await venue.swapSell(bob, pool, token, BigInt(swap!.token_amount) / 2n, eve)
    await index()
    const [sale] = (await readTrades(token)).slice(held + 1)
    t.match(sale, { side: 'sell', trader: bob, trader_known: true, recipient: eve })
    t.ok(Number(sale!.price) < Number(swap!.price))

    t.strictSame(await findDifferences(), [])
    const tables = await readTables(db)
    await reindex(db, modules)
    t.strictSame(diffTables(await readTables(db), tables), [], 'the stored logs are enough to rebuild it')
  }
})

t.test('reserves before the trade that they are of are taken as well', async (t) => {
  const { nadFun, ann, bob, index, readTrades, findDifferences } = await startNadFun(t, { syncFirst: true })
  const { token } = await nadFun.createToken(ann, { value: parseEther('10') })
  await nadFun.buy(bob, token, parseEther('20'))
  await index()
  const trades = await readTrades(token)
  t.equal(trades.length, 2)
  t.ok(Number(trades[1]!.price) > Number(trades[0]!.price))
  t.strictSame(await findDifferences(), [])
})

t.test('a trade and a graduation are synced before the launch is indexed', async (t) => {
  const { nadFun, venue, ann, bob, readToken, sync, expectFresh } = await startNadFun(t)
  const { token, pool } = await nadFun.createToken(ann, { value: parseEther('1000') })
  const bought = await nadFun.buy(bob, token, all)
  t.equal((await sync(bought.transactionHash, bob, 'buy')).positions.length, 1)
  t.match(await readToken(token), { status: 'completed', creator: ann, trades_total: 2 })
  await nadFun.graduate(bob, token)
  const swapped = await venue.swapBuy(bob, pool, parseEther('10'))
  t.equal((await sync(swapped.transactionHash, bob, 'buy')).positions.length, 1)
  t.match(await readToken(token), { status: 'graduated', pool })
  await expectFresh('the indexer arrives at the same')
})

t.test(
  'a reorg takes launches, trades and graduations of nad.fun back, also where nothing replaces them',
  async (t) => {
    const { nadFun, venue, ann, bob, node, index, readToken, expectFresh } = await startNadFun(t)
    const { token, pool } = await nadFun.createToken(ann, { value: parseEther('1000') })
    await nadFun.buy(bob, token, all)
    await index()
    const completed = await readToken(token)
    await nadFun.graduate(bob, token)
    await venue.swapBuy(bob, pool, parseEther('10'))
    await index()
    t.match(await readToken(token), { status: 'graduated' })
    await node.reorg(2)
    await expectFresh('the graduation is gone')
    const back = await readToken(token)
    t.match(back, { status: 'completed', pool: null, price: completed.price, real_quote: completed.real_quote })
  },
)

t.test('a contract keeps the kind by which it was indexed', async (t) => {
  const { nadFun, db, chain, config, index } = await startNadFun(t)
  await index()
  const deployments = config.deployments.map((one) =>
    one.address === nadFun.address ? { ...one, kind: 'launchpad' as const } : one,
  )
  const changed = { ...config, deployments }
  const contracts = await resolveContracts(chain, changed)
  await t.rejects(
    prepareChainState(db, chain, contracts, changed),
    /has indexed 0x\w+ as nad-fun, and DEPLOYMENTS says launchpad/,
  )
})
