import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { LaunchpadKind } from '../../../launchpads/kinds.ts'
import type { Database } from '../../schema.ts'
import { joinChainState } from '../chain-state.ts'
import { isRemoved } from '../deployments/visibility.ts'

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
  native_usd: string | null
}

/** Every kind of launchpad with tokens, the one with the most volume first. Without launchpads that operators have removed. */
export async function listLaunchpadStatistics(db: Kysely<Database>): Promise<LaunchpadStatisticsRow[]> {
  const { rows } = await buildLaunchpadStatistics().execute(db)
  return rows
}

const sumOf = (type: 'bigint' | 'numeric', names: readonly string[]) =>
  names.map((name) => sql`sum(${sql.ref(name)})::${sql.raw(type)} as ${sql.ref(name)}`)
const fees = ['protocol_fees_total', 'protocol_fees_h24', 'creator_fees_total', 'creator_fees_h24']
const sums = sql.join([
  ...sumOf('bigint', ['tokens_total', 'tokens_graduated', 'trades_total', 'trades_h24']),
  ...sumOf('numeric', ['volume_total', 'volume_h24', 'volume_usd_total', 'volume_usd_h24', ...fees]),
])

/** The statement of listLaunchpadStatistics, exported to test its plan. Only the launches of the last day are counted. */
export const buildLaunchpadStatistics = (): RawBuilder<LaunchpadStatisticsRow> => sql`
  select f.*, coalesce(created.tokens, 0)::integer as tokens_h24, s.quote_usd as native_usd
  from (select kind, ${sums} from launchpad_figures f where not ${isRemoved('f')} group by kind) f ${joinChainState}
  left join (
    select launchpad_kind, count(*) as tokens from tokens
    where not ${isRemoved('tokens')} and block_number >= (select number from blocks
      where time >= (select clock_time from chain_state limit 1) - 86400 order by time, number limit 1)
    group by launchpad_kind
  ) created on created.launchpad_kind = f.kind
  order by f.volume_total desc, f.kind`
