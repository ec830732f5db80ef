import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { LaunchpadKind } from '../../launchpads/kinds.ts'
import type { Database } from '../schema.ts'

interface CompletedToken {
  token: `0x${string}`
  launchpad: `0x${string}`
  kind: LaunchpadKind
}

/**
 * Completed tokens of launchpads of these kinds, the oldest first, hidden ones too; none during a backfill. Both parts are read from an
 * index.
 */
export async function listCompletedTokens(
  db: Kysely<Database>,
  args: { kinds: readonly LaunchpadKind[]; limit: number },
): Promise<CompletedToken[]> {
  const { rows } = await buildCompletedTokens(args).execute(db)
  return rows
}

export const buildCompletedTokens = ({
  kinds,
  limit,
}: {
  kinds: readonly LaunchpadKind[]
  limit: number
}): RawBuilder<CompletedToken> => sql`
  select t.address as token, t.launchpad, t.launchpad_kind as kind from (
    select token_id from token_figures where not hidden and status = 'completed' and progress = 100
    union all
    select token_id from token_figures where hidden and status = 'completed'
  ) f join tokens t on t.id = f.token_id and t.launchpad_kind = any(${kinds}::text[])
  where not exists (select from chain_state where bulk_load is not null) order by t.id limit ${limit}`
