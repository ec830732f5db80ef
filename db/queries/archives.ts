import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** A range of time without candles of some lengths, in unix seconds: [first, stop). */
export interface CandleGap {
  first: number
  stop: number
  /** The longest candles that are missing, in seconds. */
  longest: number
}

/** Lengths that FINE_CANDLE_DAYS removes, and that an archived partition lacks: its daily candles stay. */
export const [FINE_CANDLES, ARCHIVED_CANDLES] = [1_800, 14_400]

/** The gaps, as JSON, for a statement of a chart. A few rows a year. */
export const candleGaps = sql<CandleGap[]>`(select coalesce(json_agg(json_build_object('first', first, 'stop', stop,
    'longest', case state when 'archived' then ${sql.lit(ARCHIVED_CANDLES)} else ${sql.lit(FINE_CANDLES)} end)), '[]')
  from archives where parent = 'candles' and (state = 'archived' or is_thinned))`

/** Archived rows of archived_tokens or archived_pairs: those of an archive that is being written do not count yet. */
export const isArchived = (alias: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from archives a where a.parent = 'trades' and a.state = 'archived' and a.first = ${sql.ref(`${alias}.first`)})`

/** Whether the trades of a block are archived. */
export async function areTradesArchived(db: Kysely<Database>, block: number): Promise<boolean> {
  const found = await db
    .selectFrom('archives')
    .select('partition')
    .where('parent', '=', 'trades')
    .where('state', '=', 'archived')
    .where('first', '<=', block)
    .where('stop', '>', block)
    .executeTakeFirst()
  return found !== undefined
}
