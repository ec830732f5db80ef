import type { Static } from '@sinclair/typebox'
import type { CreatorRow } from '../../db/queries/forensics/creator-history.ts'
import type { CreatorHistory } from '../../schemas/forensics.ts'

/** What became of a creator's tokens as the API serves it. */
export const toCreatorHistory = (row: CreatorRow, wallet: string): Static<typeof CreatorHistory> => ({
  wallet,
  launched: row.launched,
  graduated: row.graduated,
  abandoned: row.abandoned,
  medianAthMarketCapUsd: row.median_ath_market_cap_usd,
  dumpedPct: row.median_dumped_pct,
  truncated: row.truncated,
})
