import { type Kysely, type RawBuilder, sql } from 'kysely'
import { columnToBytes } from '../../hex.ts'
import type { Database } from '../../schema.ts'
import { joinChainState } from '../chain-state.ts'

/** The latest launches of a creator that are counted: contracts may launch any number. */
const MAX_LAUNCHES = 1_000
/** A token without a trade for so long is abandoned, unless it has graduated. */
const ABANDONED_SECONDS = 7 * 86_400

export interface CreatorRow {
  launched: number
  graduated: number
  abandoned: number
  median_ath_market_cap_usd: number | null
  median_dumped_pct: number | null
  /** Whether there may be earlier launches, which are not counted. */
  truncated: boolean
}

export async function getCreatorHistory(db: Kysely<Database>, creator: string): Promise<CreatorRow> {
  const { rows } = await buildCreatorHistory(creator).execute(db)
  return rows[0]!
}

/** The statement of getCreatorHistory, exported to test its plan. Tokens that the creator never held have no dumped share. */
export const buildCreatorHistory = (creator: string): RawBuilder<CreatorRow> => sql<CreatorRow>`
  select count(*) as launched, count(*) >= ${sql.lit(MAX_LAUNCHES)} as truncated, count(f.graduated_at) as graduated,
    count(*) filter (
      where f.graduated_at is null and coalesce(f.last_trade_at, t.block_time) < s.clock_time - ${sql.lit(ABANDONED_SECONDS)}
    ) as abandoned,
    percentile_cont(0.5) within group (order by f.ath_market_cap_usd) as median_ath_market_cap_usd,
    percentile_cont(0.5) within group (
      order by (100 * b.sent / nullif(b.sent + b.balance, 0))::double precision
    ) as median_dumped_pct
  from (
    select id, creator, block_time from tokens where creator = ${creator}
    order by block_number desc, log_index desc limit ${sql.lit(MAX_LAUNCHES)}
  ) t
  join token_figures f on f.token_id = t.id
  left join balances b on b.token_id = f.token_id and b.wallet = ${columnToBytes('t.creator')}
  ${joinChainState}`
