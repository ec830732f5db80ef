import { sql } from 'kysely'
import t from 'tap'
import { buildFeedEvents } from '../../db/queries/integrations/adapter.ts'
import { buildPublishedList } from '../../db/queries/integrations/published-list.ts'
import { buildTickerList, buildTickerTrades } from '../../db/queries/integrations/tickers.ts'
import { getLaunch } from '../../db/queries/launches.ts'
import { tokenId } from '../../db/token-ids.ts'
import { deleteEmptyBlocks } from '../../indexer/engine/blocks.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { tokenAddress } from '../support/market-simulation.ts'
import { countRead, explain, scansOf, uses } from '../support/plans.ts'
import { multiply as multiplyRows } from '../support/readable-rows.ts'
import { optimizeWasm } from '../support/v8-flags.ts'

optimizeWasm()

/*
 * On tables large enough that the planner has a choice, each feed reads the part that it answers, through an index.
 */
const ROWS = 20_000
const FIRST = 10_000
const { db } = await createTestDatabase(t)
await fillMarket(db)
await multiply()

async function multiply(): Promise<void> {
  const count = sql`${ROWS}::integer`
  await sql`insert into blocks (number, hash, time)
    select ${FIRST}::integer + i, decode(md5(i::text), 'hex'), 2000000040 + 60 * (${FIRST}::integer + i)
    from generate_series(1, ${count}) i`.execute(db)
  const numbers = sql`generate_series(1, ${count}) i`
  await multiplyRows(db, 'trades', {
    like: sql`one.token_id = ${tokenId(tokenAddress(1))}`,
    changes: sql`jsonb_build_object('block_number', ${FIRST}::integer + i, 'log_index', 0,
      'block_time', 2000000040 + 60 * (${FIRST}::integer + i), 'tx_hash', '\\x' || md5(i::text))`,
    numbers,
  })
  await multiplyRows(db, 'actions', {
    like: sql`one.subject = ${tokenAddress(5)}`,
    changes: sql`jsonb_build_object('block_number', ${FIRST}::integer + i, 'log_index', 1, 'block_time', 1,
      'tx_hash', '\\x' || md5(i::text), 'type', case when i % 100 = 0 then 'graduate' else 'create' end)`,
    numbers,
  })
  await sql`insert into tokens (id, address, launchpad, creator, quote_token, name, symbol, metadata_uri, decimals, total_supply, initial_virtual_quote,
      initial_virtual_token, initial_real_token, target_quote, protocol_fee_bps, creator_fee_bps, block_number, log_index, tx_hash,
      block_time)
    select 1000 + i, '0x' || md5(i::text) || substr(md5((-i)::text), 1, 8), launchpad, creator, quote_token, 'Copy', 'COPY', metadata_uri,
      decimals, total_supply, initial_virtual_quote, initial_virtual_token, initial_real_token, target_quote,
      protocol_fee_bps, creator_fee_bps, ${FIRST}::integer + i, 0, tx_hash, block_time
    from tokens, generate_series(1, ${count}) i where address = ${tokenAddress(1)}`.execute(db)
  await sql`insert into token_figures (token_id, hidden, created_block, created_log, status, graduated_block, graduated_log,
      volume_h24)
    select id, block_number % 1000 = 0, block_number, 0, case when block_number % 2 = 0 then 'curve' else 'graduated' end,
      case when block_number % 2 = 1 then block_number end, case when block_number % 2 = 1 then 0 end, block_number % 997
    from tokens where block_number > ${FIRST}::integer`.execute(db)
  await db
    .updateTable('chain_state')
    .set({ finalized_number: FIRST + ROWS, clock_time: 2_000_000_040 + 60 * (FIRST + ROWS) })
    .execute()
  await sql`analyze`.execute(db)
}

t.test('the cost of reading events depends only on the blocks of the range', async (t) => {
  for (const from of [FIRST + 10, FIRST + ROWS / 2, FIRST + ROWS - 100]) {
    const nodes = await explain(db, buildFeedEvents({ from, to: from + 99, limit: 5_001 }))
    t.ok(uses(nodes, 'trades_position'))
    t.same(scansOf(nodes, ['trades', 'actions']), [])
    t.equal(countRead(nodes, 'trades'), 100)
    t.ok(countRead(nodes, 'actions') <= 200)
  }
})

t.test('trades of a ticker are read from the index of their token, in the requested time range', async (t) => {
  const { id: tokenId } = await getLaunch(db, tokenAddress(1))
  const args = { tokenId, side: null, from: null, to: null, limit: 50 }
  const at = 2_000_000_040 + 60 * (FIRST + 5_000)
  for (const range of [{}, { to: at }, { from: at - 6_000, to: at }]) {
    const nodes = await explain(db, buildTickerTrades({ ...args, ...range }))
    t.same(scansOf(nodes, ['trades', 'blocks']), [])
    t.ok(countRead(nodes, 'trades') <= 100)
  }
})

t.test('tickers are read from the index of volumes, without scanning a table', async (t) => {
  const nodes = await explain(db, buildTickerList({ limit: 20, offset: 0 }))
  t.ok(uses(nodes, 'token_figures_volume'))
  t.same(scansOf(nodes, ['trades', 'token_figures', 'blocks']), [])
})

t.test('a token list is read in its order from an index', async (t) => {
  for (const [include, index] of [
    ['graduated', 'token_figures_graduated'],
    ['all', 'token_figures_newest'],
  ] as const) {
    const nodes = await explain(db, buildPublishedList({ include, limit: 100, offset: 0 }))
    t.ok(uses(nodes, index), index)
    t.same(scansOf(nodes, ['tokens']), [])
    t.ok(countRead(nodes, 'token_figures') <= 200)
  }
})

t.test('the empty blocks that have become final are found by their heights', async (t) => {
  const nodes = await explain(db, deleteEmptyBlocks({ from: FIRST + ROWS - 10, below: FIRST + ROWS }))
  t.same(scansOf(nodes, ['blocks']), [])
  t.ok(countRead(nodes, 'blocks') <= 20)
})
