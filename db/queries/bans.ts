import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../schema.ts'

export async function isWalletBanned(db: Kysely<Database>, wallet: string): Promise<boolean> {
  const row = await db.selectFrom('profiles').select('banned_at').where('wallet', '=', wallet).executeTakeFirst()
  return (row?.banned_at ?? null) !== null
}

/** A banned wallet, with the entry of the audit log about its ban. */
export interface BanRow {
  wallet: string
  banned_at: Date
  /** The operator. */
  actor: string | null
  reason: string | null
}

interface BansArgs {
  limit: number
  /** Time in milliseconds and wallet of the last row of the previous page. */
  after: readonly [number, string] | null
}

/** Banned wallets, the latest ban first. */
export async function listBans(db: Kysely<Database>, args: BansArgs): Promise<BanRow[]> {
  const { rows } = await buildBanList(args).execute(db)
  return rows
}

/** The statement of listBans, exported to test its plan. */
export function buildBanList({ limit, after }: BansArgs): RawBuilder<BanRow> {
  const past = after ? sql`and (banned_at, wallet) < (${new Date(after[0])}::timestamptz, ${after[1]})` : sql``
  return sql<BanRow>`
    select p.wallet, p.banned_at, a.actor, a.reason
    from (
      select wallet, banned_at from profiles where banned_at is not null ${past}
      order by banned_at desc, wallet desc limit ${limit}
    ) p
    left join lateral (
      select actor, reason from audit_log where subject = p.wallet and action = 'wallet.ban' order by id desc limit 1
    ) a on true
    order by p.banned_at desc, p.wallet desc`
}
