import { type RawBuilder, sql } from 'kysely'
import t from 'tap'
import { LAUNCH_TRADES } from '../../db/queries/forensics/classify-buyers.ts'
import { buildCreatorHistory } from '../../db/queries/forensics/creator-history.ts'
import { buildLaterBlocks } from '../../db/queries/forensics/holders-at.ts'
import { buildInsiders, buildLaunchTrades, buildLaunchWallets } from '../../db/queries/forensics/read-launch.ts'
import { buildTopTraders, RANKED_BALANCES } from '../../db/queries/forensics/top-traders.ts'
import { buildHolders } from '../../db/queries/holders.ts'
import { buildDailyCloses, buildDayEnds, buildHeldLots } from '../../db/queries/wallets/held-lots.ts'
import { buildTradingDays } from '../../db/queries/wallets/wallet-stats.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { walletAddress } from '../support/market-simulation.ts'
import { countRead, explain, scansOf, uses } from '../support/plans.ts'
import { multiply } from '../support/readable-rows.ts'
import { optimizeWasm } from '../support/v8-flags.ts'

optimizeWasm()

/*
 * Token 1 has half of 20,000 trades and balances; wallets sent it to a thousand others each; wallets launched a hundred tokens
 * each. Every statement is bounded all the same.
 */
const ROWS = 20_000
const TOKEN = 1
/** Of the token. */
const BALANCES = ROWS / 2 + 200
const { db } = await createTestDatabase(t)
await fillMarket(db)
const rows = sql`generate_series(1, ${sql.lit(ROWS)}) i`
await multiply(db, 'trades', {
  like: sql`true`,
  changes: sql`jsonb_build_object('block_number', 10000 + i, 'log_index', 0, 'block_time', 2100000000 + i,
    'tx_hash', '\\x' || md5(i::text) || md5((-i)::text), 'token_id', i % 2 + 1,
    'trader', '\\x3a11' || lpad(to_hex(i % 20 + 500), 36, '0'))`,
  numbers: rows,
})
await sql`insert into balances (token_id, wallet, balance, first_seen_block, first_seen_at, spent, proceeds, realized, lot_tokens,
    lot_cost)
  select i % 10 + 1, decode(lpad(to_hex(i), 40, '0'), 'hex'), i, 1, i, i * 3, i, i % 100 - 50, i, i * 2
  from generate_series(1, ${sql.lit(5 * ROWS)}) i`.execute(db)
await sql`insert into transfers (token_id, block_number, log_index, sender, recipient, amount)
  select i % 2 + 1, 10000 + i, 0, decode('3a11' || lpad(to_hex(i % 20), 36, '0'), 'hex'), decode(lpad(to_hex(i), 40, '0'), 'hex'), 1
  from ${rows}`.execute(db)
await sql`insert into tokens (id, address, launchpad, creator, quote_token, name, symbol, metadata_uri, decimals, total_supply,
    initial_virtual_quote, initial_virtual_token, initial_real_token, target_quote, protocol_fee_bps, creator_fee_bps,
    block_number, log_index, tx_hash, block_time)
  select i + 30, '0x70ce' || lpad(to_hex(i + 29), 36, '0'), launchpad, '0x3a11' || lpad(to_hex(i % 200 + 200), 36, '0'),
    quote_token, name, symbol, metadata_uri, decimals, total_supply, initial_virtual_quote, initial_virtual_token,
    initial_real_token, target_quote, protocol_fee_bps, creator_fee_bps, 10000 + i, 0, tx_hash, block_time
  from tokens, ${rows} where id = ${TOKEN}`.execute(db)
await sql`insert into token_figures (token_id) select id from tokens where block_number > 10000`.execute(db)
await sql`analyze`.execute(db)

const rank = ['3000', walletAddress(1)] as const
const wallets = Array.from({ length: 50 }, (_, index) => `0x${(index * 10 + 10).toString(16).padStart(40, '0')}`)
const traders = { tokenId: TOKEN, limit: 21 }
const sources = [{ wallet: walletAddress(0), block: 0, log: 0 }]

const reads: [name: string, index: string | null, table: string, most: number, statement: RawBuilder<unknown>][] = [
  // From either index: the trades of other tokens in between are skipped.
  ['the trades at a launch', null, 'trades', 3 * LAUNCH_TRADES, buildLaunchTrades({ id: TOKEN, block_number: 101 })],
  [
    ...(['insiders', 'transfers_sender', 'transfers', 2_500] as const),
    buildInsiders({ tokenId: TOKEN, sources, excluded: [], creator: walletAddress(100) }),
  ],
  ['balances of buyers', 'balances_pkey', 'balances', 200, buildLaunchWallets(TOKEN, wallets)],
  ['first sightings of buyers', 'balances_seen', 'balances', 200, buildLaunchWallets(TOKEN, wallets)],
  // All traders of the token: an index for each ranking would make every balance larger by a third.
  [
    'traders by volume',
    'balances_pkey',
    'balances',
    BALANCES,
    buildTopTraders({ ...traders, by: 'volume', after: null }),
  ],
  [
    ...(['traders by volume, by cursor', 'balances_pkey', 'balances', 2 * BALANCES] as const),
    buildTopTraders({ ...traders, by: 'volume', after: rank }),
  ],
  [
    ...(['traders by profit', 'balances_pkey', 'balances', BALANCES] as const),
    buildTopTraders({ ...traders, by: 'realized', after: null }),
  ],
  [
    ...(['traders by profit, by cursor', 'balances_pkey', 'balances', 2 * BALANCES] as const),
    buildTopTraders({ ...traders, by: 'realized', after: ['3', walletAddress(1)] }),
  ],
  [
    ...(['traders by unrealized profit', 'balances_holders', 'balances', RANKED_BALANCES] as const),
    buildTopTraders({ ...traders, by: 'unrealized', after: null }),
  ],
  [
    ...(['traders by unrealized profit, by cursor', 'balances_holders', 'balances', 2 * RANKED_BALANCES] as const),
    buildTopTraders({ ...traders, by: 'unrealized', after: rank }),
  ],
  [
    ...(['trades of a wallet', 'trades_trader', 'trades', 1_000] as const),
    buildTradingDays({ wallet: walletAddress(507), period: 'all' }),
  ],
  [
    ...(['trades of a wallet, for its lots', 'trades_trader', 'trades', 1_000] as const),
    buildHeldLots({ wallet: walletAddress(507), starts: [15_000, 20_000] }),
  ],
  [
    ...(['transfers of a wallet, for its lots', 'transfers_sender', 'transfers', 1_000] as const),
    buildHeldLots({ wallet: walletAddress(7), starts: [15_000, 20_000] }),
  ],
  [
    ...(['balances of lots', null, 'balances', 100] as const),
    buildHeldLots({ wallet: walletAddress(7), starts: [15_000, 20_000] }),
  ],
  ['ends of days', 'blocks_time', 'blocks', 90, buildDayEnds({ first: 2_099_952_000, last: 2_100_038_400 })],
  [
    ...(['daily closes', 'candles_pkey', 'candles', 500] as const),
    buildDailyCloses({ tokenIds: [1, 2], first: 2_099_952_000, last: 2_100_038_400 }),
  ],
  ['blocks after another', 'trades_pkey', 'trades', 600, buildLaterBlocks({ tokenId: TOKEN, block: 29_000 })],
  [
    'transfers after a block',
    'transfers_pkey',
    'transfers',
    1_000,
    buildLaterBlocks({ tokenId: TOKEN, block: 29_000 }),
  ],
  [
    ...(['holders without some', 'balances_holders', 'balances', 100] as const),
    buildHolders({ tokenId: TOKEN, without: wallets, limit: 21, after: null }),
  ],
  [
    ...(['holders without some, by cursor', 'balances_holders', 'balances', 200] as const),
    buildHolders({ tokenId: TOKEN, without: wallets, limit: 21, after: rank }),
  ],
  ['launches of a creator', 'tokens_creator', 'tokens', 100, buildCreatorHistory(walletAddress(207))],
]

for (const [name, index, table, most, statement] of reads) {
  t.test(`${name} are read from their index, and no more than are needed`, async (t) => {
    const nodes = await explain(db, statement)
    if (index !== null)
      t.ok(uses(nodes, index), `uses ${index}: ${nodes.map((node) => node['Index Name'] ?? node['Node Type'])}`)
    t.same(scansOf(nodes, ['trades', 'balances', 'transfers']), [])
    const read = countRead(nodes, table)
    t.ok(read > 0 && read <= most, `${read} rows of ${table}, at most ${most}`)
  })
}
