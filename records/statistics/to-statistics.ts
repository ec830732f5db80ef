import type { Static } from '@sinclair/typebox'
import type { RaiseFigures } from '../../db/queries/raises/raises.ts'
import type { StakingFigures } from '../../db/queries/staking/staking-pools.ts'
import type { StatisticsRow } from '../../db/queries/statistics/statistics.ts'
import type { Statistics } from '../../schemas/statistics/statistics.ts'
import { toIso, toUsd } from '../format.ts'

/** The platform's statistics as the API serves them. */
export function toStatistics(
  row: StatisticsRow,
  staking: StakingFigures,
  raises: RaiseFigures,
): Static<typeof Statistics> {
  const toNumber = (usd: string) => (row.native_usd === null ? null : Number(usd))
  const { checkpoint_number: block, head_number: head } = row
  return {
    tokens: {
      total: row.tokens_total,
      onCurve: row.tokens_total - row.tokens_graduated,
      graduated: row.tokens_graduated,
      created24h: row.tokens_h24,
    },
    h24: {
      trades: row.trades_h24,
      traders: row.traders_h24,
      volume: row.volume_h24,
      volumeUsd: toNumber(row.volume_usd_h24),
      protocolFees: row.protocol_fees_h24,
      creatorFees: row.creator_fees_h24,
    },
    total: {
      trades: row.trades_total,
      traders: row.traders_total,
      volume: row.volume_total,
      volumeUsd: toNumber(row.volume_usd_total),
      protocolFees: row.protocol_fees_total,
      creatorFees: row.creator_fees_total,
    },
    staking: {
      pools: staking.pools,
      positions: staking.positions,
      stakedValue: staking.staked_value,
      stakedValueUsd: staking.staked_value === null ? null : toUsd(BigInt(staking.staked_value), row.native_usd),
    },
    raises: {
      total: raises.total,
      open: raises.open,
      proposals: raises.proposals,
      committed: raises.committed,
      committedUsd: toUsd(BigInt(raises.committed), row.native_usd),
      released: raises.released,
      refunded: raises.refunded,
    },
    quoteUsd: row.native_usd === null ? null : Number(row.native_usd),
    indexer: {
      blockNumber: block,
      blockTime: row.checkpoint_time === null ? null : toIso(row.checkpoint_time),
      finalizedBlock: row.finalized_number,
      provenBlock: row.proven_number,
      proofs: row.proofs,
      chainHead: head,
      lagBlocks: block === null || head === null || !row.has_heartbeat ? null : Math.max(0, head - block),
      recovery: row.recovery && {
        blockNumber: row.recovery.block ?? null,
        toBlock: row.recovery.to ?? null,
        recoveredLogs: row.recovery.recoveredLogs ?? 0,
      },
    },
  }
}
