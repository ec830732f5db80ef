import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { AppError, define, defineReasons } from '../../errors.ts'
import { bytes } from '../hex.ts'
import type { Database } from '../schema.ts'
import { countWatcher } from './counts.ts'
import { getLaunch } from './launches.ts'
import { enterAsWriter } from './profiles.ts'
import { readTokens, type StoredToken, selectTokens, type TokenRow } from './tokens.ts'

/** Tokens on the watchlist of a wallet, at most. */
export const MAX_WATCHED = 500

export const watchlistReasons = defineReasons({
  WATCHLIST_FULL: define(409, (d: { maximum: number }) => `A watchlist has at most ${d.maximum} tokens`, {
    maximum: MAX_WATCHED,
  }),
})

/** Since when a wallet watches a token, and how many do. */
export interface WatchState {
  created_at: Date | null
  watcher_count: number
}

interface WatchedToken {
  token: string
  wallet: string
}

/** Puts a token on the watchlist of a wallet. Idempotent. Throws TOKEN_NOT_FOUND, WATCHLIST_FULL. */
export async function watchToken(trx: Transaction<Database>, { token, wallet }: WatchedToken): Promise<WatchState> {
  await enterAsWriter(trx, wallet, 'update')
  const { id } = await getLaunch(trx, token)
  const { rows } = await sql`
    insert into watched_tokens (token_id, wallet) values (${id}, ${bytes(wallet)}) on conflict do nothing returning token_id`.execute(
    trx,
  )
  if (rows.length > 0) {
    if ((await countWatched(trx, wallet)) > MAX_WATCHED)
      throw new AppError(watchlistReasons.WATCHLIST_FULL, { maximum: MAX_WATCHED })
    await countWatcher(trx, id, 1)
  }
  return readWatch(trx, id, wallet)
}

/** Takes a token from the watchlist of a wallet. Idempotent. Throws TOKEN_NOT_FOUND. */
export async function unwatchToken(trx: Transaction<Database>, { token, wallet }: WatchedToken): Promise<WatchState> {
  await enterAsWriter(trx, wallet, 'update')
  const { id } = await getLaunch(trx, token)
  const { rows } = await sql`
    delete from watched_tokens where token_id = ${id} and wallet = ${bytes(wallet)} returning token_id`.execute(trx)
  if (rows.length > 0) await countWatcher(trx, id, -1)
  return readWatch(trx, id, wallet)
}

/** Tokens whose launch is not on the chain now count too, because they come back with it. */
async function countWatched(trx: Transaction<Database>, wallet: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from watched_tokens where wallet = ${bytes(wallet)}`.execute(trx)
  return rows[0]?.count ?? 0
}

async function readWatch(trx: Transaction<Database>, id: number, wallet: string): Promise<WatchState> {
  const { rows } = await sql<WatchState>`
    select (select created_at from watched_tokens where token_id = ${id} and wallet = ${bytes(wallet)}) as created_at,
      coalesce((select watchers from token_counts where token_id = ${id}), 0) as watcher_count`.execute(trx)
  return rows[0] as WatchState
}

/** Milliseconds, and number of the token, of the last row of the previous page. */
export type WatchKeyset = readonly [milliseconds: number, tokenId: number]

interface Entry {
  watched_at: Date
  watched_id: number
}

export type WatchedRow = TokenRow & Entry
type StoredWatch = StoredToken & Entry

interface WatchlistQuery {
  wallet: string
  limit: number
  after: WatchKeyset | null
}

/** The launched tokens on the watchlist of a wallet, the newest entry first, hidden ones too. */
export async function listWatched(db: Kysely<Database>, args: WatchlistQuery): Promise<WatchedRow[]> {
  return readTokens(db, buildWatchlist(args).execute(db))
}

/** The statement of listWatched, exported to test its plan. */
export function buildWatchlist({ wallet, limit, after }: WatchlistQuery): RawBuilder<StoredWatch> {
  const rest = after
    ? sql`and (w.created_at, w.token_id) < (${new Date(after[0])}::timestamptz, ${after[1]}::integer)`
    : sql``
  const own = bytes(wallet)
  const ids = sql`select w.token_id from watched_tokens w join tokens t on t.id = w.token_id
    where w.wallet = ${own} ${rest} order by w.created_at desc, w.token_id desc limit ${limit}`
  const since = sql`(select created_at from watched_tokens w where w.token_id = f.token_id and w.wallet = ${own})`
  const order = sql`watched_at desc, f.token_id desc`
  return selectTokens(ids, order, sql`${since} as watched_at, f.token_id as watched_id`) as RawBuilder<StoredWatch>
}
