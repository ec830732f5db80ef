import { type Kysely, sql } from 'kysely'
import { bytes } from '../hex.ts'
import type { Database } from '../schema.ts'
import { tokenId } from '../token-ids.ts'

/** Balance and wallet of the last row of the previous page. */
export type HolderKeyset = readonly [balance: string, wallet: string]

/** A wallet's balance of a token; times are unix seconds. */
export interface HolderRow {
  wallet: string
  balance: string
  first_seen_at: number
  last_trade_at: number | null
}

/**
 * Holders of a token by balance, including contracts and burn addresses. The next page reads equal balances and smaller
 * ones separately: after an airdrop thousands are equal, and must not be scanned from the first.
 */
export async function listHolders(
  db: Kysely<Database>,
  { token, limit, after }: { token: string; limit: number; after: HolderKeyset | null },
): Promise<HolderRow[]> {
  const holding = sql`select wallet, balance, first_seen_at, last_trade_at from balances
    where token_id = ${tokenId(token)} and balance > 0`
  const order = sql`order by balance desc, wallet limit ${limit}`
  const statement = after
    ? sql<HolderRow>`
      (${holding} and balance = ${after[0]}::numeric and wallet > ${bytes(after[1])} order by wallet limit ${limit})
      union all
      (${holding} and balance < ${after[0]}::numeric ${order})
      ${order}`
    : sql<HolderRow>`${holding} ${order}`
  const { rows } = await statement.execute(db)
  return rows
}
