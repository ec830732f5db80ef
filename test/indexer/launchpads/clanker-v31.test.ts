import t from 'tap'
import { parseEther, zeroAddress } from 'viem'
import { AppError } from '../../../errors.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { repair } from '../../../indexer/engine/repair.ts'
import { modules } from '../../../indexer/modules.ts'
import { startClanker } from '../fixtures/launchpads/clanker.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const SUPPLY = parseEther('100000000000')
const foreign = new AppError('TRANSACTION_FOREIGN')

t.test('a token of Clanker v3.1 is followed in its pool from its launch on', async (t) => {
  for (const isFirst of [true, false]) {
    const { clanker, venue, ann, bob, eve, index, findToken, readTrades, findDifferences, db, sync, chain, contracts } =
      await startClanker(t)
    const { token, pool, receipt } = await clanker.createToken(bob, {
      ...{ name: 'Sloop', symbol: 'SLP', metadata: '{"description":"A sloop"}', value: parseEther('0.5'), isFirst },
      ...{ creatorAdmin: ann, vaultPercentage: 10, vaultDuration: 3_600n },
    })
    await index()
    const launched = (await findToken(token))!
    t.match(launched, {
      ...{ name: 'Sloop', symbol: 'SLP', creator: ann, launchpad: clanker.address, quote_token: zeroAddress },
      ...{ launchpad_kind: 'clanker-v31', venue: 'uniswap-v3', lifecycle: 'direct', total_supply: String(SUPPLY) },
      ...{ status: 'graduated', graduated_at: null, pool, completed_block: null, target_quote: '0' },
      ...{ graduated_block: launched.created_block, graduated_log: launched.created_log, trades_total: 1 },
    })
    t.same(JSON.parse(Buffer.from(launched.metadata_uri.split(',')[1]!, 'base64').toString()), {
      description: 'A sloop',
    })
    const first = Number(launched.initial_virtual_quote) / Number(launched.initial_virtual_token)
    t.ok(Math.abs(first / 1.0001 ** -230_400 - 1) < 1e-6, 'the first price is that of the starting tick')
    const [initial] = await readTrades(token)
    t.match(initial, {
      ...{ side: 'buy', venue: 'pool', pool, trader: ann, recipient: ann, quote_amount: String(parseEther('0.5')) },
      ...{ tx_hash: receipt.transactionHash, price: launched.price },
    })
    t.ok(initial!.log_index < launched.created_log!, 'the trade of the launch is before it')
    t.ok(launched.price > first, 'the first trade moves the price')
    t.equal((await sync(receipt.transactionHash, ann, 'create', token)).positions.length, 1)
    t.equal((await sync(receipt.transactionHash, ann, 'buy')).positions.length, 1)
    await t.rejects(sync(receipt.transactionHash, bob, 'create', token), foreign, 'the sender is not the creator')

    await venue.swapBuy(bob, pool, parseEther('1'), eve)
    await venue.swapSell(ann, pool, token, BigInt(initial!.token_amount) / 2n, bob)
    await index()
    t.match(await readTrades(token), [
      { trader: ann },
      { side: 'buy', trader: eve, recipient: eve, quote_amount: String(parseEther('1')) },
      { side: 'sell', trader: ann, trader_known: true, recipient: bob },
    ])
    t.equal((await findToken(token))!.holder_count, 3, 'ann, eve and the vault, without the pool')

    t.strictSame(await findDifferences(), [])
    const tables = await readTables(db)
    const to = Number((await chain.getHeader('latest'))!.number)
    const repaired = await repair({ db, chain, contracts, from: Number(receipt.blockNumber), to })
    t.match(repaired, { missingLogs: 0, forgedLogs: 0 }, 'the receipts prove the stored logs')
    await reindex(db, modules)
    t.strictSame(diffTables(await readTables(db), tables), [], 'the stored logs are enough to rebuild it')
  }
})

t.test(
  'receipts of a launch and of trades are synced ahead of the indexer, which finds the launch of a trade',
  async (t) => {
    const { clanker, venue, ann, bob, findToken, readTrades, sync, expectFresh } = await startClanker(t)
    const { token, pool, receipt } = await clanker.createToken(ann, { value: parseEther('0.5') })
    const bought = await venue.swapBuy(bob, pool, parseEther('1'))
    t.equal((await sync(bought.transactionHash, bob, 'buy')).positions.length, 1)
    t.match(
      await findToken(token),
      { status: 'graduated', creator: ann, trades_total: 2 },
      'with the trade of the launch',
    )
    t.equal((await sync(receipt.transactionHash, ann, 'create', token)).positions.length, 1)
    const [, purchase] = await readTrades(token)
    const sold = await venue.swapSell(bob, pool, token, BigInt(purchase!.token_amount))
    t.equal((await sync(sold.transactionHash, bob, 'sell')).positions.length, 1)
    await expectFresh('the indexer arrives at the same')
  },
)

t.test('a reorg takes launches and trades back, also where nothing replaces them', async (t) => {
  const { clanker, venue, ann, bob, node, index, findToken, expectFresh, db } = await startClanker(t)
  const kept = await clanker.createToken(ann, { value: parseEther('0.5') })
  await index()
  const before = await findToken(kept.token)
  const statistics = await db.selectFrom('platform_figures').selectAll().executeTakeFirstOrThrow()
  t.match(statistics, { tokens_total: 1, tokens_graduated: 1 })
  const { token } = await clanker.createToken(ann, { value: parseEther('0.5') })
  await venue.swapBuy(bob, kept.pool, parseEther('1'))
  await index()
  t.ok(await findToken(token))
  t.ok((await findToken(kept.token))!.price > before!.price)
  await node.reorg(2)
  await expectFresh('the second launch is gone')
  t.equal(await findToken(token), undefined)
  t.match(await findToken(kept.token), { price: before!.price, trades_total: 1, status: 'graduated', pool: kept.pool })
  t.match(await db.selectFrom('platform_figures').selectAll().execute(), [{ tokens_total: 1, tokens_graduated: 1 }])
})

t.test('pools of other coins, and pools that others create at the factory, are not followed', async (t) => {
  const { clanker, venue, ann, index, findToken, findDifferences, db, node } = await startClanker(t)
  const { token: other } = await clanker.createToken(ann, { name: 'Paired' })
  await index()
  const logs = async () =>
    (await db.selectFrom('blocks').select('log_count').execute()).reduce((sum, row) => sum + row.log_count, 0)
  const known = await logs()
  const { token } = await clanker.createToken(ann, { pairedToken: other })
  await index()
  t.equal(await findToken(token), undefined)
  t.match(await findToken(other), { trades_total: 0 })
  t.equal(await logs(), known + 1, 'only the log of the launch is stored')
  await node.run(venue.actions.createPool(ann, other, token, 500))
  await index()
  t.equal(await logs(), known + 1)
  t.strictSame(await findDifferences(), [])
})
