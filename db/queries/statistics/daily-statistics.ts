import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { LaunchpadKind } from '../../../launchpads/kinds.ts'
import type { Database } from '../../schema.ts'
import { isRemoved } from '../deployments/visibility.ts'

/** Sums of the trades of a day. Amounts in base units of the native coin. */
export interface DayRow {
  /** Unix seconds of its start, UTC. */
  day: number
  trades: number
  volume: string
  volume_usd: string
  /** null: the trades had been archived before their fees were summed up. */
  protocol_fees: string | null
  creator_fees: string | null
}

interface DaysArgs {
  /** Unix seconds of the starts of the first and the last day. */
  from: number
  to: number
  /** undefined: all. */
  kind: LaunchpadKind | undefined
}

/** Days with trades, ascending. Without launchpads that operators have removed. */
export async function listDays(db: Kysely<Database>, args: DaysArgs): Promise<DayRow[]> {
  const { rows } = await buildDailyStatistics(args).execute(db)
  return rows
}

/** The statement of listDays, exported to test its plan. */
export function buildDailyStatistics({ from, to, kind }: DaysArgs): RawBuilder<DayRow> {
  const sumOf = (name: string) => {
    const column = sql.ref(name)
    return sql`case when bool_and(${column} is not null) then sum(${column})::numeric end as ${column}`
  }
  return sql`
    select day, sum(trades)::bigint as trades, sum(volume)::numeric as volume, sum(volume_usd)::numeric as volume_usd,
      ${sumOf('protocol_fees')}, ${sumOf('creator_fees')}
    from launchpad_days f
    where day between ${from}::bigint and ${to}::bigint and not ${isRemoved('f')}${ofKind(kind)}
    group by day order by day`
}

const ofKind = (kind: LaunchpadKind | undefined) =>
  kind === undefined ? sql`` : sql` and launchpad in (select launchpad from launchpad_figures where kind = ${kind})`

/** The first day with trades, and the time up to which blocks are indexed; null before there are any. In unix seconds. */
export async function readDayBounds(
  db: Kysely<Database>,
): Promise<{ first: number | null; indexed_to: number | null }> {
  const { rows } = await sql<{ first: number | null; indexed_to: number | null }>`
    select (select min(day) from launchpad_days) as first, (select checkpoint_time from chain_state limit 1) as indexed_to`.execute(
    db,
  )
  return rows[0] as { first: number | null; indexed_to: number | null }
}
