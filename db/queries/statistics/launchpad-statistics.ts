import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { LaunchpadKind } from '../../../launchpads/kinds.ts'
import type { Database } from '../../schema.ts'
import { joinChainState } from '../chain-state.ts'

/** Sums of the tokens of a kind of launchpad. Amounts in base units of the native coin. */
export interface LaunchpadStatisticsRow {
  kind: LaunchpadKind
  tokens_total: number
  tokens_graduated: number
  tokens_h24: number
  trades_total: number
  trades_h24: number
  volume_total: string
  volume_h24: string
  volume_usd_total: string
  volume_usd_h24: string
  protocol_fees_total: string
  protocol_fees_h24: string
  creator_fees_total: string
  creator_fees_h24: string
  quote_usd: string | null
}

/** Every kind of launchpad with tokens, the one with the most volume first. */
export async function listLaunchpadStatistics(db: Kysely<Database>): Promise<LaunchpadStatisticsRow[]> {
  const { rows } = await buildLaunchpadStatistics().execute(db)
  return rows
}

/** The statement of listLaunchpadStatistics, exported to test its plan. Only the launches of the last day are counted. */
export const buildLaunchpadStatistics = (): RawBuilder<LaunchpadStatisticsRow> => sql`
  select f.*, coalesce(created.tokens, 0)::integer as tokens_h24, s.quote_usd
  from launchpad_figures f ${joinChainState}
  left join (
    select launchpad_kind, count(*) as tokens from tokens
    where block_number >= (select number from blocks
      where time >= (select clock_time from chain_state limit 1) - 86400 order by time, number limit 1)
    group by launchpad_kind
  ) created on created.launchpad_kind = f.kind
  order by f.volume_total desc, f.kind`
