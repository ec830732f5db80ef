import { type Kysely, type RawBuilder, sql } from 'kysely'
import { bytes, toBytes } from '../hex.ts'
import type { Database } from '../schema.ts'

/** Balance and wallet of the last row of the previous page. */
export type HolderKeyset = readonly [balance: string, wallet: string]

/** A wallet's balance of a token; times are unix seconds. */
export interface HolderRow {
  wallet: string
  balance: string
  first_seen_at: number
  last_trade_at: number | null
}

/** Role of a contract of the platform that keeps tokens of many wallets. */
export type CustodyRole = 'staking' | 'raises'

interface HoldersQuery {
  tokenId: number
  limit: number
  after: HolderKeyset | null
  /** Wallets to leave out. */
  without?: readonly string[]
}

/** The indexed contracts of stakes and raises, also former ones, by address. */
export async function listCustody(db: Kysely<Database>): Promise<ReadonlyMap<string, CustodyRole>> {
  const state = await db.selectFrom('chain_state').select('contracts').executeTakeFirst()
  const contracts = (state?.contracts ?? {}) as Partial<Record<CustodyRole, string[]>>
  const roles = ['staking', 'raises'] as const
  return new Map(roles.flatMap((role) => (contracts[role] ?? []).map((address) => [address, role] as const)))
}

/** Holders of a token by balance, including contracts and burn addresses. */
export async function listHolders(db: Kysely<Database>, args: HoldersQuery): Promise<HolderRow[]> {
  const { rows } = await buildHolders(args).execute(db)
  return rows
}

/**
 * The statement of listHolders, exported to test its plan. The next page reads equal balances and smaller ones separately:
 * after an airdrop thousands are equal, and must not be scanned from the first.
 */
export function buildHolders({ tokenId, limit, after, without = [] }: HoldersQuery): RawBuilder<HolderRow> {
  const leftOut = without.length > 0 ? sql` and wallet <> all(${without.map(toBytes)}::bytea[])` : sql``
  const holding = sql`select wallet, balance, first_seen_at, last_trade_at from balances
    where token_id = ${tokenId} and balance > 0${leftOut}`
  const order = sql`order by balance desc, wallet limit ${limit}`
  return after
    ? sql<HolderRow>`
      (${holding} and balance = ${after[0]}::numeric and wallet > ${bytes(after[1])} order by wallet limit ${limit})
      union all
      (${holding} and balance < ${after[0]}::numeric ${order})
      ${order}`
    : sql<HolderRow>`${holding} ${order}`
}
