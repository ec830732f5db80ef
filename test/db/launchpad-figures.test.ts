import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { up } from '../../db/migrations/0025-launchpad-figures.ts'
import { up as upLater } from '../../db/migrations/0029-deployments.ts'
import { buildDailyStatistics } from '../../db/queries/statistics/daily-statistics.ts'
import { buildLaunchpadStatistics } from '../../db/queries/statistics/launchpad-statistics.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { LAUNCHPAD, tokenAddress } from '../support/market-simulation.ts'
import { explain, scansOf } from '../support/plans.ts'

const { db } = await createTestDatabase(t)
await fillMarket(db)
await sql`update chain_state set rules = 2`.execute(db)
const migrate = async () => {
  for (const table of ['launchpad_figures', 'deployments']) await sql`drop table ${sql.table(table)}`.execute(db)
  await up(db as unknown as Kysely<unknown>)
  await upLater(db as unknown as Kysely<unknown>)
  return db.selectFrom('launchpad_figures').selectAll().execute()
}
const readRules = async () => (await db.selectFrom('chain_state').select('rules').executeTakeFirstOrThrow()).rules

t.test('a database with tokens of one launchpad gives it the sums of the platform', async (t) => {
  const platform = await db.selectFrom('platform_figures').selectAll().executeTakeFirstOrThrow()
  const { id, traders_total, traders_h24, ...sums } = platform
  t.ok(id && traders_total >= traders_h24 && sums.trades_h24 > 0)
  t.same(await migrate(), [{ kind: 'slipway', ...sums, launchpad: LAUNCHPAD }])
  t.equal(await readRules(), 2)
})

t.test('with tokens of several, the derived tables will be rebuilt', async (t) => {
  await db.updateTable('tokens').set({ launchpad_kind: 'nad-fun' }).where('address', '=', tokenAddress(2)).execute()
  t.same(await migrate(), [])
  t.equal(await readRules(), 0)
})

t.test('so they will with tokens of several launchpads of a kind', async (t) => {
  await sql`update chain_state set rules = 2`.execute(db)
  await db
    .updateTable('tokens')
    .set({ launchpad_kind: 'slipway', launchpad: tokenAddress(3) })
    .where('address', '=', tokenAddress(2))
    .execute()
  t.same(await migrate(), [])
  t.equal(await readRules(), 0)
})

t.test('only the launches of the last day are read of all tokens', async (t) => {
  await sql`insert into tokens (id, address, launchpad, creator, quote_token, name, symbol, metadata_uri, decimals, total_supply,
      initial_virtual_quote, initial_virtual_token, initial_real_token, target_quote, block_number, log_index, tx_hash, block_time)
    select 1000 + i, '0x' || md5(i::text) || '00000000', launchpad, creator, quote_token, name, symbol, metadata_uri, decimals,
      total_supply, initial_virtual_quote, initial_virtual_token, initial_real_token, target_quote, -i, 0, tx_hash, block_time
    from tokens, generate_series(1, 5000) i where address = ${tokenAddress(1)}`.execute(db)
  await sql`analyze tokens`.execute(db)
  const nodes = await explain(db, buildLaunchpadStatistics())
  t.same(scansOf(nodes, ['tokens']), [])
})

t.test('only the days of the range are read', async (t) => {
  await sql`insert into launchpad_days select 86400 * i, ${LAUNCHPAD}, 1, 1, 1, 1, 1 from generate_series(1, 5000) i`.execute(
    db,
  )
  await sql`analyze launchpad_days`.execute(db)
  const range = { from: 86_400 * 100, to: 86_400 * 130 }
  for (const kind of [undefined, 'slipway'] as const)
    t.same(scansOf(await explain(db, buildDailyStatistics({ ...range, kind })), ['launchpad_days']), [])
})
