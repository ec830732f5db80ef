import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** Completed tokens of our own contracts, hidden ones too; none during a backfill. Both parts are read from an index. */
export async function listCompletedTokens(
  db: Kysely<Database>,
  limit: number,
): Promise<{ token: `0x${string}`; launchpad: `0x${string}` }[]> {
  const { rows } = await buildCompletedTokens(limit).execute(db)
  return rows
}

export const buildCompletedTokens = (
  limit: number,
): RawBuilder<{ token: `0x${string}`; launchpad: `0x${string}` }> => sql`
  select t.address as token, t.launchpad from (
    select token_id from token_figures where not hidden and status = 'completed' and progress = 100
    union all
    select token_id from token_figures where hidden and status = 'completed'
  ) f join tokens t on t.id = f.token_id and t.launchpad_kind = 'slipway'
  where not exists (select from chain_state where bulk_load is not null) limit ${limit}`
