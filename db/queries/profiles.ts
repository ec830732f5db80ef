import { type Kysely, sql, type Transaction } from 'kysely'
import { AppError, define, defineReasons } from '../../errors.ts'
import { bytes } from '../hex.ts'
import type { Database } from '../schema.ts'
import { toSkeleton } from '../username-skeleton.ts'
import { isBefore, type PositionKeyset } from './positions.ts'
import { readTokens, selectTokens, type TokenRow } from './tokens.ts'

/** The public profile of an author; null where not set, or if the wallet is banned. */
export interface AuthorColumns {
  username: string | null
  avatar_url: string | null
}

/**
 * Joins the profile of a wallet's column as p, for AuthorColumns; a banned wallet has none. The limit makes it a probe
 * of the primary key for each row, whatever the planner's statistics.
 */
export const joinAuthor = (wallet: string) => sql`left join lateral (
    select username, bio, avatar_url from profiles where wallet = ${sql.ref(wallet)} and banned_at is null limit 1
  ) p on true`

/**
 * Call before a wallet writes: creates its profile if needed, rejects a banned wallet, and blocks a ban until the
 * transaction ends, so that a ban sees all earlier writes. lock: `update` for a write of the profile itself. Throws
 * WALLET_BANNED.
 */
export async function enterAsWriter(
  trx: Transaction<Database>,
  wallet: string,
  lock: 'share' | 'update' = 'share',
): Promise<void> {
  const { rows } = await sql<{ banned: boolean }>`
    insert into profiles (wallet) values (${wallet}) on conflict do nothing returning false as banned`.execute(trx)
  const { rows: known } =
    rows.length > 0
      ? { rows }
      : await sql<{ banned: boolean }>`
        select banned_at is not null as banned from profiles where wallet = ${wallet} for ${sql.raw(lock)}`.execute(trx)
  if (known[0]?.banned) throw new AppError('WALLET_BANNED')
}

export interface ProfileRow extends AuthorColumns {
  wallet: string
  bio: string | null
  follower_count: number
  following_count: number
  created_tokens: number
  /** Unix seconds of its first comment, trade or launch; null without any. */
  joined_at: number | null
  followed_by_me: boolean
}

/** The wallet with this username, in any letter case; a name that only looks like it does not count, nor a banned wallet. */
export async function findWallet(db: Kysely<Database>, username: string): Promise<string | undefined> {
  const { rows } = await sql<{ wallet: string }>`
    select wallet from profiles
    where username_skeleton = ${toSkeleton(username)} and lower(username) = ${username.toLowerCase()} and banned_at is null
  `.execute(db)
  return rows[0]?.wallet
}

/** Every wallet has a profile, possibly an empty one. */
export async function getProfile(
  db: Kysely<Database>,
  { wallet, viewer }: { wallet: string; viewer: string | null },
): Promise<ProfileRow> {
  const { rows } = await sql<ProfileRow>`
    select w.wallet, p.username, p.bio, p.avatar_url, coalesce(k.followers, 0) as follower_count,
      coalesce(k.following, 0) as following_count,
      (select count(*) from tokens t join token_figures f on f.token_id = t.id and not f.hidden
        where t.creator = ${wallet}) as created_tokens,
      least(
        (select floor(extract(epoch from created_at))::bigint from profiles where wallet = w.wallet),
        (select block_time from trades where trader = ${bytes(wallet)} order by block_number, log_index limit 1),
        (select min(first_trade_at) from archived_pairs where wallet = ${bytes(wallet)}),
        (select block_time from tokens where creator = w.wallet order by block_number, log_index limit 1)
      ) as joined_at,
      exists (select from follows where follower = ${viewer} and followee = w.wallet) as followed_by_me
    from (select ${wallet}::text as wallet) w ${joinAuthor('w.wallet')}
    left join follow_counts k on k.wallet = w.wallet`.execute(db)
  return rows[0] as ProfileRow
}

/** Profile changes; null clears a field, undefined keeps it. */
export interface ProfileChange {
  username?: string | null | undefined
  username_skeleton?: string | null | undefined
  bio?: string | null | undefined
  avatar_url?: string | null | undefined
}

export const profileReasons = defineReasons({
  USERNAME_TAKEN: define(409, 'This username, or one that looks like it, is taken'),
})

/** Updates a profile that enterAsWriter has locked. Throws USERNAME_TAKEN. */
export async function updateProfile(
  trx: Transaction<Database>,
  { wallet, change }: { wallet: string; change: ProfileChange },
): Promise<void> {
  const columns = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const { username_skeleton: skeleton = null } = change
  const { numUpdatedRows } = await trx
    .updateTable('profiles')
    .set(columns)
    .where('wallet', '=', wallet)
    // The unique index alone would let two wallets that take each other's name deadlock.
    .where(
      sql<boolean>`not exists (select from profiles o where o.username_skeleton = ${skeleton} and o.wallet <> ${wallet})`,
    )
    .executeTakeFirstOrThrow()
    .catch((cause: unknown) => {
      if ((cause as { code?: unknown }).code === '23505')
        throw new AppError(profileReasons.USERNAME_TAKEN, {}, { cause })
      throw cause
    })
  if (numUpdatedRows === 0n) throw new AppError(profileReasons.USERNAME_TAKEN)
}

/** Non-empty profiles of the wallets of these rows, by wallet. */
export async function findAuthors(
  db: Kysely<Database>,
  rows: readonly { wallet: string }[],
): Promise<Map<string, AuthorColumns>> {
  const { rows: found } = await sql<AuthorColumns & { wallet: string }>`
    select wallet, username, avatar_url from profiles
    where wallet = any(${rows.map(({ wallet }) => wallet)}::text[]) and banned_at is null
      and (username is not null or avatar_url is not null)`.execute(db)
  return new Map(found.map((row) => [row.wallet, row]))
}

/** The statement of listCreatedTokens, exported to test its plan. */
export function buildCreatedTokens({
  wallet,
  limit,
  after,
}: {
  wallet: string
  limit: number
  after: PositionKeyset | null
}) {
  const ids = sql`
    select c.id from tokens c join token_figures g on g.token_id = c.id and not g.hidden
    where c.creator = ${wallet} and ${isBefore(after, 'c.block_number', 'c.log_index')}
    order by c.block_number desc, c.log_index desc limit ${limit}`
  return selectTokens(ids, sql`t.block_number desc, t.log_index desc`)
}

/** Tokens launched by a wallet, newest first; hidden ones are excluded. */
export async function listCreatedTokens(
  db: Kysely<Database>,
  args: { wallet: string; limit: number; after: PositionKeyset | null },
): Promise<TokenRow[]> {
  return readTokens(db, buildCreatedTokens(args).execute(db))
}
