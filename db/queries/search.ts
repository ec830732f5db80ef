import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../schema.ts'
import { toSkeleton } from '../username-skeleton.ts'
import type { AuthorColumns } from './profiles.ts'
import { selectTokens, type TokenRow } from './tokens.ts'

/*
 * Ranking, best first: the address, the exact symbol, a prefix of the symbol, a prefix of the name, a match inside
 * either; equal ranks by market cap. Each kind of match reads at most CANDIDATES rows (or the limit) from its index, so
 * the cost does not grow with the number of tokens. The POPULAR tokens by market cap are always considered, so a
 * popular token is found among any number of copies.
 */
const CANDIDATES = 64
const POPULAR = 400

/** A trigram index needs three letters; a shorter term would scan all of it. */
const SEARCHABLE_WORD = /[\p{L}\p{N}]{3}/u

/** Visible tokens by name, symbol or address. */
export async function searchTokens(
  db: Kysely<Database>,
  { q, limit }: { q: string; limit: number },
): Promise<TokenRow[]> {
  const { rows } = await buildSearch({ q, limit }).execute(db)
  if (rows.length === limit || !SEARCHABLE_WORD.test(q)) return rows
  // A match inside a word ranks below all others: it is searched only while there is room.
  const found = rows.map((row) => row.address)
  const { rows: more } = await buildSubstringSearch({ q, limit: limit - rows.length, found }).execute(db)
  return [...rows, ...more]
}

/** The first statement of searchTokens, exported to test its plan. */
export function buildSearch({ q, limit }: { q: string; limit: number }): RawBuilder<TokenRow> {
  const candidates = Math.max(CANDIDATES, limit)
  const term = sql`lower(${q})`
  const prefix = sql`lower(${`${escapeLike(q)}%`})`
  const source = sql`(
    with candidates as (
      (select address, 1 as match from tokens where lower(symbol) = ${term}
        order by lower(symbol) using ~<~, block_number, log_index limit ${candidates})
      union all (select address, 2 from tokens where lower(symbol) like ${prefix}
        order by lower(symbol) using ~<~, block_number, log_index limit ${candidates})
      union all (select address, 3 from tokens where lower(name) like ${prefix}
        order by lower(name) using ~<~ limit ${candidates})
      union all (select token, case
          when lower(symbol) = ${term} then 1
          when lower(symbol) like ${prefix} then 2
          when lower(name) like ${prefix} then 3
          else 4
        end
        from (
          select token from token_figures where launched and not hidden order by market_cap desc, token limit ${POPULAR}
        ) popular
        join tokens on address = token
        where position(${term} in lower(name) || ' ' || lower(symbol)) > 0)
      ${matchAddress(q, candidates)}
    )
    select figures.*, best.match
    from (select address, min(match) as match from candidates group by address) best
    join token_figures figures on figures.token = best.address and figures.launched and not figures.hidden
    order by best.match, figures.market_cap desc, figures.token
    limit ${limit}
  )`
  return selectTokens(source, sql`f.match, f.market_cap desc, f.token`)
}

/** The second statement of searchTokens: matches inside names and symbols, except those found already. */
export function buildSubstringSearch({
  q,
  limit,
  found,
}: {
  q: string
  limit: number
  found: readonly string[]
}): RawBuilder<TokenRow> {
  const source = sql`(
    select figures.* from (select address from tokens where ${isWithin(q)} limit ${Math.max(CANDIDATES, limit) + found.length}) matches
    join token_figures figures on figures.token = address and figures.launched and not figures.hidden
    where address <> all (${found}::text[])
    order by figures.market_cap desc, address
    limit ${limit}
  )`
  return selectTokens(source, sql`f.market_cap desc, f.token`)
}

const isWithin = (q: string) => sql`(lower(name) || ' ' || lower(symbol)) like lower(${`%${escapeLike(q)}%`})`

/**
 * Addresses that begin with the term, as a range of the primary key, which works under any collation: g sorts after the
 * hexadecimal digits in all of them.
 */
function matchAddress(q: string, candidates: number): RawBuilder<unknown> {
  const prefix = q.toLowerCase()
  if (!/^0x[0-9a-f]{1,40}$/.test(prefix)) return sql``
  return sql`union all (select address, 0 from tokens where address >= ${prefix} and address < ${`${prefix}g`}
    order by address limit ${candidates})`
}

/** Escapes a term to a LIKE pattern that matches it literally. */
function escapeLike(term: string): string {
  return term.replace(/[\\%_]/g, '\\$&')
}

/** A wallet with its profile and figures. */
export interface WalletRow extends AuthorColumns {
  wallet: string
  trades: number
  created: number
}

/** Wallets by full address, if they have any activity, or by a prefix of the username. */
export async function searchWallets(
  db: Kysely<Database>,
  { q, limit }: { q: string; limit: number },
): Promise<WalletRow[]> {
  const address = q.toLowerCase()
  if (/^0x[0-9a-f]{40}$/.test(address)) {
    const { rows } = await selectWallets(sql`(select ${address}::text as wallet) w`).execute(db)
    return rows.filter(({ username, trades, created }) => username !== null || trades > 0 || created > 0)
  }
  const looks = /^@?\w{2,20}$/.test(q) ? toSkeleton(q.replace('@', '')) : ''
  if (looks === '') return []
  const { rows } = await buildWalletSearch(looks, limit).execute(db)
  return rows
}

/**
 * By skeleton, because usernames are unique by skeleton: a search for `clover` finds `cl0ver`, and shows that it is
 * another name. A range of the index, shortest first: no letter sorts after the tilde.
 */
export function buildWalletSearch(looks: string, limit: number): RawBuilder<WalletRow> {
  return selectWallets(sql`(
    select wallet, username_skeleton from profiles
    where username_skeleton >= ${looks} and username_skeleton < ${`${looks}~`} and banned_at is null
    order by username_skeleton limit ${limit}
  ) w`)
}

const selectWallets = (source: RawBuilder<unknown>): RawBuilder<WalletRow> => sql`
  select w.wallet, p.username, p.avatar_url,
    coalesce((select trades_total from wallet_figures f where f.wallet = w.wallet), 0) as trades,
    (select count(*) from tokens t where t.creator = w.wallet) as created
  from ${source} left join profiles p on p.wallet = w.wallet and p.banned_at is null
  order by p.username_skeleton`
