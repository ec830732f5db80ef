import { type Kysely, sql } from 'kysely'
import type { Database } from '../../schema.ts'
import { joinChainState, provenNumber } from '../chain-state.ts'
import { hasHeartbeat } from '../indexer-lease.ts'

/** Figures of the whole platform. Amounts in base units of the native coin; null before the first indexed block. */
export interface StatisticsRow {
  tokens_total: number
  tokens_graduated: number
  tokens_h24: number
  trades_total: number
  trades_h24: number
  traders_total: number
  traders_h24: number
  volume_total: string
  volume_h24: string
  volume_usd_total: string
  volume_usd_h24: string
  protocol_fees_total: string
  protocol_fees_h24: string
  creator_fees_total: string
  creator_fees_h24: string
  native_usd: string | null
  checkpoint_number: number | null
  checkpoint_time: number | null
  head_number: number | null
  head_time: number | null
  finalized_number: number | null
  has_heartbeat: boolean
  /** Up to this block all indexed logs are proven. */
  proven_number: number | null
  proofs: 'complete' | 'running' | 'off' | 'unsupported' | null
  /** See indexer/engine/recover-logs.ts; empty before the first range. */
  recovery: { block?: number; to?: number; recoveredLogs?: number } | null
}

/** Reads the row of figures kept at write time; only the launches of the last day are counted, by their blocks. */
export async function getStatistics(db: Kysely<Database>): Promise<StatisticsRow> {
  const { rows } = await sql<StatisticsRow>`
    select p.*, s.quote_usd as native_usd, s.checkpoint_number, s.checkpoint_time, s.head_number, s.head_time, s.finalized_number, s.recovery,
      ${provenNumber}, ${hasHeartbeat}, case when isempty(s.unproven) then 'complete' when s.proofs = 'on' then 'running' else s.proofs end as proofs,
      (select count(*) from tokens where block_number >=
        (select number from blocks where time >= s.clock_time - 86400 order by time, number limit 1)) as tokens_h24
    from platform_figures p ${joinChainState}`.execute(db)
  return rows[0] as StatisticsRow
}
