import type { Static } from '@sinclair/typebox'
import type { LaunchpadStatisticsRow } from '../../db/queries/statistics/launchpad-statistics.ts'
import type { LaunchpadStatistics } from '../../schemas/statistics/launchpad-statistics.ts'

/** Statistics of a kind of launchpad as the API serves them. name: of the product. emits: the fees that its logs contain. */
export function toLaunchpadStatistics(
  row: LaunchpadStatisticsRow,
  { name, emits }: { name: string; emits: { protocolFees: boolean; creatorFees: boolean } },
): Static<typeof LaunchpadStatistics> {
  const toNumber = (usd: string) => (row.native_usd === null ? null : Number(usd))
  const protocolFees = (amount: string) => (emits.protocolFees ? amount : null)
  const creatorFees = (amount: string) => (emits.creatorFees ? amount : null)
  return {
    kind: row.kind,
    name,
    tokens: {
      total: row.tokens_total,
      onCurve: row.tokens_total - row.tokens_graduated,
      graduated: row.tokens_graduated,
      created24h: row.tokens_h24,
    },
    h24: {
      trades: row.trades_h24,
      volume: row.volume_h24,
      volumeUsd: toNumber(row.volume_usd_h24),
      protocolFees: protocolFees(row.protocol_fees_h24),
      creatorFees: creatorFees(row.creator_fees_h24),
    },
    total: {
      trades: row.trades_total,
      volume: row.volume_total,
      volumeUsd: toNumber(row.volume_usd_total),
      protocolFees: protocolFees(row.protocol_fees_total),
      creatorFees: creatorFees(row.creator_fees_total),
    },
  }
}
