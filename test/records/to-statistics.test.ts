import t from 'tap'
import type { RaiseFigures } from '../../db/queries/raises/raises.ts'
import type { StakingFigures } from '../../db/queries/staking/staking-pools.ts'
import type { StatisticsRow } from '../../db/queries/statistics/statistics.ts'
import { toStatistics } from '../../records/statistics/to-statistics.ts'

const ETHER = 10n ** 18n
const staking = { pools: 1, positions: 2, staked_value: String(3n * ETHER) } as StakingFigures
const raises = {
  total: 1,
  open: 1,
  proposals: 0,
  committed: String(2n * ETHER),
  released: '0',
  refunded: '0',
} as unknown as RaiseFigures
const row = {
  ...{ tokens_total: 5, tokens_graduated: 2, volume_usd_total: '7.5', volume_usd_h24: '2.5', native_usd: '2000' },
  ...{ checkpoint_number: 10, checkpoint_time: 1_700_000_000, head_number: 12, has_heartbeat: true, recovery: null },
} as StatisticsRow
const read = (change: Partial<StatisticsRow> = {}, staked: StakingFigures = staking) =>
  toStatistics({ ...row, ...change }, staked, raises)

t.test('statistics have values in US dollars if the price is known', async (t) => {
  t.match(read(), {
    ...{ quoteUsd: 2_000, h24: { volumeUsd: 2.5 }, total: { volumeUsd: 7.5 } },
    ...{ staking: { stakedValueUsd: 6_000 }, raises: { committedUsd: 4_000 } },
  })
  t.match(read({ native_usd: null }), {
    ...{ quoteUsd: null, h24: { volumeUsd: null }, total: { volumeUsd: null } },
    ...{ staking: { stakedValueUsd: null }, raises: { committedUsd: null } },
  })
  t.match(read({}, { ...staking, staked_value: null }).staking, { stakedValue: null, stakedValueUsd: null })
})

t.test('statistics have the progress of the indexer, and nulls before the first block', async (t) => {
  t.match(read().indexer, { blockNumber: 10, blockTime: '2023-11-14T22:13:20.000Z', chainHead: 12, lagBlocks: 2 })
  t.match(read({ checkpoint_number: null, checkpoint_time: null }).indexer, {
    ...{ blockNumber: null, blockTime: null, lagBlocks: null },
  })
  t.match(read({ head_number: null }).indexer, { chainHead: null, lagBlocks: null })
  t.match(read({ has_heartbeat: false }).indexer, { chainHead: 12, lagBlocks: null }, 'the head is old')
  t.equal(read({ head_number: 9 }).indexer.lagBlocks, 0, 'a head below the last indexed block')
  t.equal(read().indexer.recovery, null)
  t.same(read({ recovery: {} }).indexer.recovery, { blockNumber: null, toBlock: null, recoveredLogs: 0 })
  t.same(read({ recovery: { block: 1, to: 2, recoveredLogs: 3 } }).indexer.recovery, {
    ...{ blockNumber: 1, toBlock: 2, recoveredLogs: 3 },
  })
})
