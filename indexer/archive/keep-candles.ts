import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import type { Entry } from './entries.ts'

/** Tokens whose candles are copied at a time: a statement is to end soon. */
const TOKENS = 1_000

/**
 * Copies the candles of a partition that stay: those longer than `longest` seconds; and the last one of each length, because the
 * price after it is read from there.
 */
export async function keepCandles(db: Db, { name }: Pick<Entry, 'name'>, to: string, longest: number): Promise<void> {
  const [source, target] = [sql.table(name), sql.table(to)]
  const { rows } = await sql<{ low: number | null; high: number }>`
    select min(token_id) as low, max(token_id) as high from ${source}`.execute(db)
  const [range] = rows
  if (!range || range.low === null) return
  for (let low = range.low; low <= range.high; low += TOKENS) {
    const isNext = sql`token_id >= ${low} and token_id < ${low + TOKENS}`
    await sql`insert into ${target} select * from ${source} where ${isNext} and resolution > ${longest}
      union all (select distinct on (token_id, resolution) * from ${source} where ${isNext} and resolution <= ${longest}
        order by token_id, resolution, bucket desc)`.execute(db)
  }
}
