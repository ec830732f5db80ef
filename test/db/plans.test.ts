import { sql } from 'kysely'
import t from 'tap'
import { bytes } from '../../db/hex.ts'
import { buildCandles, buildSecondCandles } from '../../db/queries/candles.ts'
import { buildCompletedTokens, listCompletedTokens } from '../../db/queries/completed-tokens.ts'
import { buildHolders } from '../../db/queries/holders.ts'
import { getLaunch } from '../../db/queries/launches.ts'
import { buildLeaderList, buildWins } from '../../db/queries/leaderboard.ts'
import { PopularTokens } from '../../db/queries/popular-tokens.ts'
import { buildFeeShares, buildHoldings } from '../../db/queries/portfolio/portfolio.ts'
import { buildRevenueTotals } from '../../db/queries/portfolio/revenue.ts'
import { buildScreened } from '../../db/queries/screener.ts'
import { buildSearch, buildSubstringSearch } from '../../db/queries/search.ts'
import { buildTokenList, type TokenSort } from '../../db/queries/token-list.ts'
import { buildTokenTrades } from '../../db/queries/trades.ts'
import { buildTransactionList } from '../../db/queries/transactions.ts'
import { tokenId } from '../../db/token-ids.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { HEAD, timeOf, tokenAddress, walletAddress } from '../support/market-simulation.ts'
import { countRead, explain, scansOf, uses } from '../support/plans.ts'
import { readSources } from '../support/read-sources.ts'
import { multiply as multiplyRows } from '../support/readable-rows.ts'

/*
 * On tables large enough that the planner has a choice, each list is read from its index, in its order, up to its limit.
 */
const TOKENS = 6_000
const { db } = await createTestDatabase(t)
await fillMarket(db)
await multiply()

async function multiply(): Promise<void> {
  await sql`insert into tokens (id, address, launchpad, creator, quote_token, name, symbol, metadata_uri, decimals, total_supply, initial_virtual_quote,
      initial_virtual_token, initial_real_token, target_quote, protocol_fee_bps, creator_fee_bps, block_number, log_index, tx_hash,
      block_time)
    select 1000 + i, '0x' || md5(i::text) || substr(md5((-i)::text), 1, 8), launchpad, creator, quote_token, 'Copy ' || md5(i::text),
      upper(substr(md5(i::text), 1, 6)), metadata_uri, decimals, total_supply, initial_virtual_quote, initial_virtual_token,
      initial_real_token, target_quote, protocol_fee_bps, creator_fee_bps, 10000 + i, 0, tx_hash, block_time
    from tokens, generate_series(1, ${TOKENS}::integer) i where address = ${tokenAddress(1)}`.execute(db)
  await sql`insert into token_ids (id, address, creation) select id, address, '\\x00' from tokens where block_number > 10000`.execute(
    db,
  )
  await sql`insert into token_figures (token_id, hidden, created_block, created_log, status, graduated_block,
      graduated_log, progress, market_cap, volume_h24, trend)
    select id, block_number % 100 = 0, block_number, 0,
      case when block_number % 2 = 0 then 'curve' else 'graduated' end, case when block_number % 2 = 1 then block_number end,
      case when block_number % 2 = 1 then 0 end, block_number % 97, block_number % 997, block_number % 7, block_number % 991
    from tokens where block_number > 10000`.execute(db)
  await multiplyRows(db, 'trades', {
    like: sql`one.token_id = ${tokenId(tokenAddress(1))}`,
    changes: sql`jsonb_build_object('block_number', 10000 + i, 'log_index', 0,
      'trader', '\\x3a11' || lpad(to_hex(i % 100), 36, '0'), 'tx_hash', '\\x' || md5(i::text) || md5((-i)::text))`,
    numbers: sql`generate_series(1, ${TOKENS}::integer) i`,
  })
  await sql`insert into launchpad_figures
    select 'nad-fun', 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'nad'`.execute(db)
  // Few wallets have traded on the second launchpad alone, and a third of all on both.
  await sql`insert into wallet_figures (wallet, trades_total, volume_total, trades_h24, volume_h24, launchpad_kind)
    select decode(md5(i::text) || substr(md5((-i)::text), 1, 8), 'hex'), i, i, 1, i % 50,
      case when i % 100 = 1 then 'nad-fun' when i % 3 > 0 then 'slipway' end
    from generate_series(1, ${TOKENS}::integer) i`.execute(db)
  await sql`insert into wallet_launchpad_figures
    select wallet, kind, trades_total, volume_total, 0, 0, 0, trades_h24, volume_h24, 0, 0, 0, 1, 1, 0, volume_h24, 0, 1, 1, 0, 0, 0
    from wallet_figures cross join unnest(array['nad-fun', 'slipway']) kind where launchpad_kind is null`.execute(db)
  const wallet = (count: number) => sql`decode('3a11' || lpad(to_hex(i % ${sql.lit(count)}), 36, '0'), 'hex')`
  await sql`insert into fee_shares (token_id, block_number, log_index, position, owner, recipient, bps)
    select i % 2000, 1000 + i, 0, 0, ${wallet(3_000)}, ${wallet(5_000)}, 10000
    from generate_series(1, 20000) i`.execute(db)
  await sql`insert into balances (token_id, wallet, balance, first_seen_block, first_seen_at)
    select id, decode(md5((block_number % 50 + 50 * n)::text) || '00000000', 'hex'), 1, block_number, block_time
    from tokens, generate_series(0, 9) n where block_number > 10000
    union all
    select id, ${bytes(walletAddress(1))}, 1, block_number, block_time from tokens where block_number > 15000`.execute(
    db,
  )
  await sql`analyze`.execute(db)
}

const ofWallets = ['wallet_figures', 'wallet_launchpad_figures']
const large = ['fee_shares', 'tokens', 'token_ids', 'token_figures', 'trades', 'candles', 'balances', ...ofWallets]
for (const sort of ['trending', 'newest', 'mcap', 'volume', 'curve', 'graduated'] as TokenSort[]) {
  t.test(`sort=${sort} is read from its index, sorting the page only`, async (t) => {
    const nodes = await explain(db, buildTokenList({ sort, limit: 21 }))
    t.ok(uses(nodes, `token_figures_${sort}`))
    t.ok(uses(nodes, 'tokens_pkey'), 'and its tokens by their numbers')
    t.same(scansOf(nodes, large), [])
    const sorts = nodes.filter((node) => node['Node Type'].includes('Sort'))
    t.ok(sorts.every((node) => (node['Actual Rows'] ?? 0) <= 21))
    const read = nodes.find((node) => node['Index Name'] === `token_figures_${sort}`)
    t.equal(read?.['Actual Rows'], 21)
  })

  t.test(`the next page of sort=${sort} is read from its index, sorting at most two pages`, async (t) => {
    const after = sort === 'newest' || sort === 'graduated' ? (['12001', '0'] as const) : (['3', '2'] as const)
    const nodes = await explain(db, buildTokenList({ sort, limit: 21, after }))
    t.ok(uses(nodes, `token_figures_${sort}`))
    t.same(scansOf(nodes, large), [])
    const sorts = nodes.filter((node) => node['Node Type'].includes('Sort'))
    t.ok(sorts.every((node) => (node['Actual Rows'] ?? 0) <= 42))
    const reads = nodes.filter((node) => node['Index Name'] === `token_figures_${sort}`)
    t.ok(reads.every((node) => (node['Actual Rows'] ?? 0) <= 21))
  })
}

t.test('the figures that filters compare are read in pages, by the numbers of the tokens', async (t) => {
  const nodes = await explain(db, buildScreened({ after: 2_000, limit: 500 }))
  t.ok(uses(nodes, 'token_figures_pkey'))
  t.ok(uses(nodes, 'candles_pkey'))
  t.ok(uses(nodes, 'trades_pkey'))
  t.same(scansOf(nodes, ['token_figures', 'candles', 'trades', 'blocks']), [])
  t.ok(nodes.filter((node) => node['Node Type'].includes('Sort')).every((node) => (node['Actual Rows'] ?? 0) <= 500))
})

for (const [name, filter, index] of [
  ['all', {}, 'trades_position'],
  ['a wallet', { wallet: walletAddress(1) }, 'trades_trader'],
  ['a token', { token: tokenAddress(2) }, 'trades_pkey'],
] as const) {
  t.test(`transactions of ${name} are read from an index`, async (t) => {
    const nodes = await explain(db, buildTransactionList({ filter, limit: 21, after: null }))
    t.ok(uses(nodes, index))
    t.same(scansOf(nodes, large), [])
  })
}

t.test('completed tokens that wait for their graduation are read from indexes', async (t) => {
  const nodes = await explain(db, buildCompletedTokens({ kinds: ['slipway'], limit: 1_000 }))
  t.ok(uses(nodes, 'token_figures_curve'))
  t.ok(uses(nodes, 'token_figures_hidden'))
  t.same(scansOf(nodes, large), [])
})

t.test('completed tokens are listed, including hidden ones, but not during a backfill', async (t) => {
  const rollback = new Error('rollback')
  const trial = db.transaction().execute(async (trx) => {
    const states = [
      { index: 1, status: 'completed', progress: '100', hidden: false },
      { index: 2, status: 'completed', progress: '100', hidden: true },
      { index: 3, status: 'graduated', progress: '100', hidden: true },
      { index: 4, status: 'curve', progress: '99', hidden: false },
    ]
    for (const { index, ...state } of states)
      await trx
        .updateTable('token_figures')
        .set(state)
        .where('token_id', '=', tokenId(tokenAddress(index)))
        .execute()
    const found = (await listCompletedTokens(trx, { kinds: ['slipway'], limit: 1_000 })).map(({ token }) => token)
    t.strictSame(
      states.map(({ index }) => found.includes(tokenAddress(index) as `0x${string}`)),
      [true, true, false, false],
    )
    t.equal((await listCompletedTokens(trx, { kinds: ['slipway'], limit: 1 })).length, 1)
    t.same(await listCompletedTokens(trx, { kinds: ['nad-fun'], limit: 1_000 }), [], 'those of the given launchpads')
    await sql`update chain_state set bulk_load = '{}'`.execute(trx)
    t.same(await listCompletedTokens(trx, { kinds: ['slipway'], limit: 1_000 }), [])
    throw rollback
  })
  await t.rejects(trial, rollback)
})

t.test('rows of a token are read newest first, one partition after another, up to the limit', async (t) => {
  const { id: tokenId } = await getLaunch(db, tokenAddress(1))
  // Two more partitions on either side of the one with the trades.
  await sql`select make_partitions(array[3145728, 7340032], array[0, 259200000])`.execute(db)
  const heights = await explain(db, buildTokenTrades({ tokenId, limit: 21, after: null }))
  const times = await explain(db, buildCandles({ tokenId, resolution: 60, from: timeOf(HEAD) - 600, to: timeOf(HEAD) }))
  for (const nodes of [heights, times]) {
    t.same(scansOf(nodes, large), [])
    t.notOk(nodes.some((node) => node['Node Type'].includes('Sort') && (node['Actual Rows'] ?? 0) > 21))
  }
  t.ok(uses(heights, 'trades_pkey'))
  t.equal(countRead(heights, 'trades'), 21)
  t.ok(uses(times, 'candles_pkey'))
  t.ok(countRead(times, 'candles') <= 12, `${countRead(times, 'candles')} candles of eleven minutes`)
  const from = timeOf(HEAD) + 1_000
  await sql`insert into blocks (number, time, hash) values (${10_000 + TOKENS - 9}, ${from}, '\\x00')`.execute(db)
  const seconds = await explain(db, buildSecondCandles({ tokenId, resolution: 5, from, to: from + 600 }))
  t.same(scansOf(seconds, large), [])
  t.equal(countRead(seconds, 'trades'), 10, 'the trades since the first block')
})

t.test('transactions of a hash are read from its index', async (t) => {
  const { tx_hash } = await db
    .selectFrom('readable_trades')
    .select('tx_hash')
    .where('block_number', '=', 10_500)
    .executeTakeFirstOrThrow()
  const nodes = await explain(db, buildTransactionList({ filter: { txHash: tx_hash }, limit: 21, after: null }))
  t.ok(uses(nodes, 'trades_tx_hash'))
  t.same(scansOf(nodes, large), [])
})

t.test('the leaderboard is read from the index of its period', async (t) => {
  for (const [period, by, index] of [
    ['all', 'volume', 'volume_total'],
    ['24h', 'volume', 'volume_h24'],
    ['7d', 'pnl', 'realized_d7'],
  ] as const) {
    const all = ['nad-fun', 'slipway', null].map((kind) => ({ table: 'wallet_figures', kind }) as const)
    const parts = [{ table: 'wallet_launchpad_figures', kind: 'nad-fun' }] as const
    for (const lists of [all, all.slice(0, 1), parts]) {
      for (const after of [null, ['30', walletAddress(1)]] as const) {
        const nodes = await explain(db, buildLeaderList({ period, by, limit: 21, after }, lists))
        const { table, kind } = lists[0]!
        const name = `${period} ${by} of ${lists.length} lists of ${table} ${kind} ${after ? 'next' : 'first'}`
        t.ok(uses(nodes, `${table}_kind_${index}`), name)
        t.same(scansOf(nodes, large), [])
        for (const node of nodes) {
          if (node['Index Name']?.startsWith('wallet_'))
            t.ok((node['Actual Rows'] ?? 0) <= 21, `${name}: a page of a list`)
          t.not(node['Node Type'], 'Incremental Sort')
        }
      }
    }
  }
})

t.test('the win rates of a page read the newest trades of each wallet', async (t) => {
  for (const launchpad of [undefined, 'slipway']) {
    const wallets = [walletAddress(1), walletAddress(2)]
    const nodes = await explain(db, buildWins({ wallets, period: '24h', launchpad }))
    t.ok(uses(nodes, 'trades_trader'))
    t.same(scansOf(nodes, large), [])
  }
})

t.test('holders are read from their index, after thousands with the same balance too', async (t) => {
  const { id: tokenId } = await getLaunch(db, tokenAddress(1))
  await sql`insert into balances (token_id, wallet, balance, first_seen_block, first_seen_at)
    select ${tokenId}::integer, decode(md5(i::text) || '00000000', 'hex'), 7, 1, 1 from generate_series(1, 3000) i`.execute(
    db,
  )
  await sql`analyze balances`.execute(db)
  for (const after of [null, ['7', `0x80${'0'.repeat(38)}`]] as const) {
    const nodes = await explain(db, buildHolders({ tokenId, limit: 21, after }))
    t.ok(uses(nodes, 'balances_holders'))
    t.same(scansOf(nodes, large), [])
    t.ok(countRead(nodes, 'balances') < 200, `${countRead(nodes, 'balances')} balances`)
  }
})

t.test('a search reads bounded parts of its indexes', async (t) => {
  const popular = await PopularTokens.read(db)
  const nodes = await explain(db, buildSearch({ q: 'cat', limit: 20, popular }))
  for (const index of ['tokens_symbol_key', 'tokens_folded_symbol', 'tokens_folded_name'])
    t.ok(uses(nodes, index), index)
  t.same(scansOf(nodes, large), [])
  t.ok(uses(await explain(db, buildSearch({ q: '0x12', limit: 20, popular })), 'tokens_pkey'))
  const within = await explain(db, buildSubstringSearch({ q: 'a1b2c3', limit: 20, found: [] }))
  t.ok(uses(within, 'tokens_search'))
  t.same(scansOf(within, large), [])
  const filtered = await explain(db, buildSearch({ q: 'cat', launchpad: 'slipway', limit: 20, popular }))
  for (const index of ['tokens_symbol_key', 'tokens_folded_symbol', 'tokens_folded_name'])
    t.ok(uses(filtered, index), index)
})

t.test('holdings are read from the index of their wallet, in its order', async (t) => {
  const wallet = `0x${'d0'.repeat(20)}`
  await sql`insert into balances (token_id, wallet, balance, first_seen_block, first_seen_at)
    select id, ${bytes(wallet)}, 7, 1, 1 from tokens`.execute(db)
  await sql`analyze balances`.execute(db)
  for (const after of [null, 40]) {
    const nodes = await explain(db, buildHoldings({ wallet, limit: 21, after }))
    t.ok(uses(nodes, 'balances_wallet'))
    t.same(scansOf(nodes, large), [])
    t.equal(nodes.find((node) => node['Index Name'] === 'balances_wallet')?.['Actual Rows'], 21)
  }
})

t.test('shares in creator fees are read by owner and recipient, and each token’s last split by its key', async (t) => {
  const other = walletAddress(1)
  const nodes = await explain(db, buildFeeShares({ wallet: other, limit: 100 }))
  for (const index of ['fee_shares_owner', 'fee_shares_recipient', 'fee_shares_pkey']) t.ok(uses(nodes, index), index)
  t.same(scansOf(nodes, large), [])
})

t.test('the creator fees of a wallet are summed by its tokens and its payouts', async (t) => {
  const wallet = walletAddress(1)
  await sql`insert into creator_revenue select id, ${bytes(wallet)}, 5 from tokens`.execute(db)
  await sql`insert into creator_revenue select id, decode(md5(id::text), 'hex'), 5 from tokens`.execute(db)
  await sql`analyze creator_revenue`.execute(db)
  const nodes = await explain(db, buildRevenueTotals({ wallet, limit: 20 }))
  for (const index of ['tokens_creator', 'fee_shares_recipient', 'fee_shares_pkey', 'creator_revenue_recipient'])
    t.ok(uses(nodes, index), index)
  t.same(scansOf(nodes, [...large, 'creator_revenue']), [])
  t.ok(countRead(nodes, 'creator_revenue') <= 21)
})

t.test('the plan of every exported statement is tested', async (t) => {
  const tests = (await readSources('test', '.test.ts')).filter((text) => text.includes('explain'))
  for (const text of await readSources('db/queries'))
    for (const [, name = ''] of text.matchAll(/^export (?:function|const) (build\w+)/gm))
      t.ok(
        tests.some((test) => test.includes(`${name}(`)),
        name,
      )
})
