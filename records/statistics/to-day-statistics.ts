import type { Static } from '@sinclair/typebox'
import type { DayRow } from '../../db/queries/statistics/daily-statistics.ts'
import type { DayStatistics } from '../../schemas/statistics/daily-statistics.ts'

export const DAY = 86_400

type Emits = { protocolFees: boolean; creatorFees: boolean }

/**
 * Every day from `from` to `to` (starts in unix seconds). rows: those with trades. indexedTo: unix seconds. emits: the fees that the
 * logs of the launchpads contain.
 */
export function toDayStatistics(
  rows: readonly DayRow[],
  { from, to, indexedTo, emits }: { from: number; to: number; indexedTo: number; emits: Emits },
): Static<typeof DayStatistics>[] {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  const count = Math.max(0, (to - from) / DAY + 1)
  return Array.from({ length: count }, (_, index) => {
    const day = from + index * DAY
    const row = byDay.get(day) ?? { trades: 0, volume: '0', volume_usd: '0', protocol_fees: '0', creator_fees: '0' }
    const volumeUsd = row.trades > 0 && Number(row.volume_usd) === 0 ? null : Number(row.volume_usd)
    const protocolFees = emits.protocolFees ? row.protocol_fees : null
    const creatorFees = emits.creatorFees ? row.creator_fees : null
    const toUsd = (fees: string | null) => {
      if (fees === null || volumeUsd === null) return null
      return fees === '0' ? 0 : (Number(fees) / Number(row.volume)) * volumeUsd
    }
    return {
      date: new Date(day * 1_000).toISOString().slice(0, 10),
      time: day,
      complete: indexedTo >= day + DAY,
      trades: row.trades,
      volume: row.volume,
      volumeUsd,
      protocolFees,
      protocolFeesUsd: toUsd(protocolFees),
      creatorFees,
      creatorFeesUsd: toUsd(creatorFees),
    }
  })
}
