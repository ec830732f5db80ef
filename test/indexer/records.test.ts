import { sql } from 'kysely'
import t from 'tap'
import { type Address, createPublicClient, createWalletClient, http, parseEther, zeroAddress } from 'viem'
import { foundry } from 'viem/chains'
import { audit } from '../../audit/audit.ts'
import { loadConfig } from '../../config/config.ts'
import { deployContracts } from '../../dev/deploy.ts'
import { resolveContracts } from '../../indexer/contracts.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

t.test('the tables after indexing a market', async (t) => {
  const test = await startChain(t)
  const { db } = await createTestDatabase(t)
  const { graduated, open, batch, launch } = await playMarket(test)
  await indexToHead(db, test)
  const [, ann, bob, eve] = test.accounts as [Address, Address, Address, Address]
  const trades = await db
    .selectFrom('readable_trades')
    .selectAll()
    .orderBy('block_number')
    .orderBy('log_index')
    .execute()

  await t.test('all trades of a transaction by several traders on several tokens are stored', async (t) => {
    const [first, second] = batch.wallets as [Address, Address]
    const own = trades.filter(({ tx_hash }) => tx_hash === batch.receipt.transactionHash)
    t.strictSame(
      own.map(({ trader, token, side }) => [trader, token, side]),
      [
        [first, graduated, 'buy'],
        [first, open, 'buy'],
        [second, graduated, 'buy'],
        [second, open, 'buy'],
        [first, open, 'sell'],
      ],
    )
    t.equal(new Set(own.map(({ log_index }) => log_index)).size, 5)
  })

  await t.test('a tiny price keeps its digits, and a trade of three base units keeps its amounts', async (t) => {
    const dust = trades.find(
      ({ trader, token, quote_amount }) => trader === eve && token === open && quote_amount === '3',
    )
    t.ok(dust)
    const price = Number(dust?.virtual_quote) / Number(dust?.virtual_token)
    t.ok(price > 0 && price < 1e-8)
    t.ok(Math.abs((dust?.price ?? 0) / price - 1) < 1e-12, 'to the last digit of a float')
    t.equal((await db.selectFrom('readable_candles').selectAll().where('low', '<=', 0).execute()).length, 0)
  })

  await t.test('the mint that comes before the create event in its transaction is counted', async (t) => {
    const launchpad = test.deployed.launchpad
    const minted = launch.logs.findIndex(({ topics }) => topics[1] === `0x${'0'.repeat(64)}` && topics.length === 3)
    const created = launch.logs.findIndex(({ address, topics }) => address === launchpad && topics.length === 4)
    t.ok(minted >= 0 && minted < created, 'it does come before')
    const balances = await db.selectFrom('readable_balances').selectAll().where('token', '=', graduated).execute()
    t.ok(balances.some(({ wallet }) => wallet === launchpad))
    t.notOk(balances.some(({ wallet }) => wallet === zeroAddress))
  })

  await t.test('the balances of each token add up to its supply, and none is negative', async (t) => {
    const { rows } = await sql<{ sum: string; least: string }>`
      select sum(balance) as sum, min(balance) as least from readable_balances group by token`.execute(db)
    t.equal(rows.length, 2)
    for (const { sum, least } of rows) {
      t.equal(sum, parseEther('1000000000').toString())
      t.ok(BigInt(least) >= 0n)
    }
  })

  await t.test('the launchpad, the pool and the burn address are not counted as holders', async (t) => {
    const figures = await db
      .selectFrom('readable_token_figures')
      .selectAll()
      .where('token', '=', graduated)
      .executeTakeFirstOrThrow()
    const excluded = [test.deployed.launchpad, figures.pool, '0x000000000000000000000000000000000000dead']
    const balances = await db.selectFrom('readable_balances').selectAll().where('token', '=', graduated).execute()
    const holders = balances.filter(({ wallet, balance }) => BigInt(balance) > 0n && !excluded.includes(wallet))
    t.equal(figures.holder_count, holders.length)
    t.ok(holders.length < figures.positive_balances, 'there were some to leave out')
    const creator = balances.find(({ wallet }) => wallet === ann)
    t.equal(figures.creator_balance, creator?.balance)
  })

  await t.test('a pair created and funded before graduation becomes the pool of the token', async (t) => {
    const figures = await db
      .selectFrom('readable_token_figures')
      .selectAll()
      .where('token', '=', graduated)
      .executeTakeFirstOrThrow()
    t.equal(figures.status, 'graduated')
    const inPool = trades.filter(({ venue }) => venue === 'pool')
    t.strictSame(
      inPool.map(({ side, trader }) => [side, trader]),
      [
        ['buy', bob],
        ['sell', bob],
      ],
    )
    t.ok(BigInt(figures.pool_quote ?? 0) > 0n)
    const { rows } = await sql<{ first: number }>`select min(block_number)::integer as first from pool_states`.execute(
      db,
    )
    t.ok((rows[0]?.first ?? 0) >= (figures.graduated_block ?? 0), 'what happened in it before is not ours')
  })

  await t.test('two tokens may have the same symbol', async (t) => {
    const tokens = await db.selectFrom('tokens').selectAll().execute()
    t.strictSame(
      tokens.map(({ symbol }) => symbol),
      ['ONE', 'ONE'],
    )
  })

  await t.test('the volumes of candles add up to the same sum for every interval', async (t) => {
    const { rows } = await sql<{ volume: string; trades: number }>`
      select sum(volume) as volume, sum(trades) as trades from candles group by resolution`.execute(db)
    t.equal(rows.length, 7)
    const volume = trades.reduce((sum, { quote_amount }) => sum + BigInt(quote_amount), 0n).toString()
    for (const row of rows) t.match(row, { volume, trades: trades.length })
  })
})

t.test('coins sent to a pair do not hide the next sale or reduce its amount', async (t) => {
  const test = await startChain(t)
  const { db } = await createTestDatabase(t)
  const { graduated } = await playMarket(test)
  const { node, deployed, accounts } = test
  const [, , bob, eve] = accounts as [Address, Address, Address, Address]
  const act = makeActions(deployed)
  await indexToHead(db, test)
  const { pool } = await db
    .selectFrom('readable_token_figures')
    .select('pool')
    .where('token', '=', graduated)
    .executeTakeFirstOrThrow()
  await node.run(act.wrap(eve, parseEther('1')), act.sendWrapped(eve, pool as Address, parseEther('1')))
  const [receipt] = await node.run(act.swapSell(bob, graduated, parseEther('10')))
  await indexToHead(db, test)
  const sale = await db
    .selectFrom('readable_trades')
    .selectAll()
    .where('tx_hash', '=', receipt!.transactionHash)
    .execute()
  t.match(sale, [{ side: 'sell', trader: bob, token_amount: parseEther('10').toString() }])
  t.ok(BigInt(sale[0]?.quote_amount ?? 0) > 0n)
})

t.test('an older deployment that is configured later is indexed from its first block', async (t) => {
  const test = await startChain(t)
  const { node, deployed: older, accounts } = test
  const [, ann, bob] = accounts as [Address, Address, Address]
  const [first] = await node.run(makeActions(older).launch(ann, 'OLD', parseEther('0.3')))
  const oldToken = launchedToken(first!)
  const transport = http(test.anvil.url)
  const publicClient = createPublicClient({ chain: foundry, transport, pollingInterval: 10, cacheTime: 0 })
  const walletClient = createWalletClient({ chain: foundry, transport, account: accounts[0]! })
  await node.call('evm_setAutomine', true)
  const newer = await deployContracts({ publicClient, walletClient })
  await node.call('evm_setAutomine', false)
  const [second] = await node.run(makeActions(newer).launch(bob, 'NEW', parseEther('0.2')))
  await node.run(makeActions(older).buy(bob, oldToken, parseEther('0.1')))
  await node.run(makeActions(newer).buy(ann, launchedToken(second!), parseEther('0.1')))

  const configure = async (...launchpads: { launchpad: Address; startBlock: bigint }[]) => {
    const deployments = [
      ...launchpads.map(({ launchpad, startBlock }) => ({
        kind: 'launchpad',
        address: launchpad,
        startBlock: Number(startBlock),
      })),
      { kind: 'price-feed', address: older.priceFeed, startBlock: Number(older.startBlock) },
      { kind: 'wrapped-native', address: older.weth, startBlock: 0 },
    ]
    const config = loadConfig({ ...test.environment, DEPLOYMENTS: JSON.stringify(deployments) })
    return { chain: test.chain, config, contracts: await resolveContracts(test.chain, config) }
  }
  const { db } = await createTestDatabase(t)
  await indexToHead(db, await configure(newer))
  t.equal((await db.selectFrom('tokens').selectAll().execute()).length, 1)
  const both = await configure(newer, older)
  await indexToHead(db, both)
  t.equal((await db.selectFrom('tokens').selectAll().execute()).length, 2)
  t.equal((await db.selectFrom('readable_trades').selectAll().execute()).length, 4)

  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, both)
  const sorted = ({ contracts }: { contracts: unknown }) => (contracts as { market: string[] }).market.toSorted()
  const states = await Promise.all(
    [db, fresh.db].map((one) => one.selectFrom('chain_state').select('contracts').executeTakeFirstOrThrow()),
  )
  t.strictSame(sorted(states[0]!), sorted(states[1]!))
  t.strictSame(
    diffTables(await readTables(db), await readTables(fresh.db)).filter(
      (line) => !/^chain_state .* contracts:/.test(line),
    ),
    [],
  )
  const lines: string[] = []
  await audit({ ...both, db, onDifference: (line) => lines.push(line) })
  t.strictSame(lines, [])
})
