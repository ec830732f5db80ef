import { sql } from 'kysely'
import t from 'tap'
import { buildStakingPoolList } from '../../db/queries/staking/staking-pools.ts'
import { buildStakingPositionList } from '../../db/queries/staking/staking-positions.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { tokenAddress, walletAddress } from '../support/market-simulation.ts'
import { explain, scansOf, uses } from '../support/plans.ts'
import { optimizeWasm } from '../support/v8-flags.ts'

optimizeWasm()

/*
 * On tables large enough that the planner has a choice, each list of staking is read from its index, in its order, up to
 * its limit.
 */
const POOLS = 5_000
const POSITIONS = 20_000
const { db } = await createTestDatabase(t)
await fillMarket(db)
await multiply()

const wallet = walletAddress(1)
const contract = `0x${'5a'.repeat(20)}`

async function multiply(): Promise<void> {
  const pool = sql`'0x' || repeat('5a', 20) || '-' || (i % ${POOLS}::integer + 1)`
  await sql`insert into staking_pools (id, contract, number, staking_token, reward_token, cooldown_seconds, period_seconds,
      created_block, created_log, created_at, tx_hash, total_staked)
    select ${pool}, '0x' || repeat('5a', 20), i + 1, case when i % 50 = 0 then ${tokenAddress(1)} else ${tokenAddress(2)} end,
      '0x' || repeat('0', 40), 60, 60, 10000 + i, 0, 1, '0x00', 1
    from generate_series(0, ${POOLS - 1}::integer) i`.execute(db)
  const who = sql`case when i % 40 = 0 then ${walletAddress(1)} else '0x' || md5(i::text) || '00000000' end`
  await sql`insert into staking_positions (pool, wallet, state_block, state_log, staked, pending_unstake, withdrawable_at,
      rewards, reward_per_token_paid)
    select ${pool}, ${who}, 20000 + i, 0, 1, 0, 0, 0, 0 from generate_series(1, ${POSITIONS}::integer) i
    on conflict do nothing`.execute(db)
  await sql`insert into staking_events (block_number, log_index, block_time, tx_hash, pool, kind, wallet, amount, reward_rate,
      reward_per_token, last_update_time, period_finish, total_staked, staked, pending_unstake, withdrawable_at, rewards)
    select state_block, state_log, 1, '0x00', pool, 'stake', wallet, 1, 0, 0, 0, 0, 0, staked, 0, 0, 0
    from staking_positions`.execute(db)
  await sql`insert into token_figures (token_id)
    select 1000 + i from generate_series(1, ${POSITIONS}::integer) i`.execute(db)
  await sql`analyze`.execute(db)
}

const large = ['staking_pools', 'staking_positions', 'staking_events', 'token_figures']
const LIMIT = 21

for (const [what, statement, index] of [
  ['pools', buildStakingPoolList({ filter: {}, limit: LIMIT, after: null }), 'staking_pools_newest'],
  ['pools, going on', buildStakingPoolList({ filter: {}, limit: LIMIT, after: [12_000, 0] }), 'staking_pools_newest'],
  [
    'pools of a token',
    buildStakingPoolList({ filter: { token: tokenAddress(1) }, limit: LIMIT, after: null }),
    'staking_pools_token',
  ],
  [
    'positions of a wallet',
    buildStakingPositionList({ wallet, limit: LIMIT, after: null }),
    'staking_positions_wallet',
  ],
  [
    'positions of a wallet, going on',
    buildStakingPositionList({ wallet, limit: LIMIT, after: [25_000, 0] }),
    'staking_positions_wallet',
  ],
] as const) {
  t.test(`${what}: read from ${index}, up to the limit`, async (t) => {
    const nodes = await explain(db, statement)
    const read = nodes.find((node) => node['Index Name'] === index)
    t.equal(read?.['Actual Rows'], LIMIT)
    t.same(scansOf(nodes, large), [])
  })
}

t.test('the position of a wallet at a pool is read by its key', async (t) => {
  const nodes = await explain(
    db,
    buildStakingPositionList({ wallet, pool: `${contract}-41`, limit: LIMIT, after: null }),
  )
  t.ok(uses(nodes, 'staking_positions_pkey'))
})
