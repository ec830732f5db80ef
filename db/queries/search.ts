import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../schema.ts'
import { toSkeleton } from '../username-skeleton.ts'
import type { AuthorColumns } from './profiles.ts'
import { findTokens, type TokenRow } from './tokens.ts'

/*
 * Ranking, best first: the address, the exact symbol, a prefix of the symbol, a prefix of the name, a match inside
 * either; equal ranks by market cap. Each kind of match reads at most CANDIDATES rows (or the limit) from its index, so
 * the cost does not grow with the number of tokens. The POPULAR tokens by market cap are always considered, so a
 * popular token is found among any number of copies. The caller keeps them in memory: looking up a few hundred took most
 * of the time of a search. Thousands of them fill the page for any term that many names contain, so that only rare terms
 * are searched inside names, where the index has short lists.
 */
const CANDIDATES = 64
const POPULAR = 5_000

/** A trigram index needs three letters; a shorter term would scan all of it. */
const SEARCHABLE_WORD = /[\p{L}\p{N}]{3}/u

/** A token that every search considers, with its name and symbol in lower case. */
export interface PopularToken {
  address: string
  name: string
  symbol: string
}

/** The POPULAR visible tokens, the largest market cap first. */
export async function listPopularTokens(db: Kysely<Database>): Promise<PopularToken[]> {
  const { rows } = await sql<PopularToken>`
    select address, lower(name) as name, lower(symbol) as symbol
    from (
      select token, market_cap from token_figures where launched and not hidden
      order by market_cap desc, token limit ${POPULAR}
    ) popular
    join tokens on address = token
    order by market_cap desc, token`.execute(db)
  return rows
}

interface Search {
  q: string
  limit: number
  /** From listPopularTokens, seconds old at most. */
  popular: readonly PopularToken[]
}

/** Visible tokens by name, symbol or address. */
export async function searchTokens(db: Kysely<Database>, { q, limit, popular }: Search): Promise<TokenRow[]> {
  const best = await listAddresses(db, buildSearch({ q, limit, popular }))
  // A match inside a word ranks below all others: it is searched only while there is room.
  const hasRoom = best.length < limit && SEARCHABLE_WORD.test(q)
  const more = hasRoom
    ? await listAddresses(db, buildSubstringSearch({ q, limit: limit - best.length, found: best }))
    : []
  const found = [...best, ...more]
  // Their rows in a statement of their own, which is prepared: planning it takes longer than running it.
  const rows = new Map((await findTokens(db, found)).map((row) => [row.address, row]))
  return found.flatMap((address) => {
    const row = rows.get(address)
    return row === undefined || row.hidden ? [] : row
  })
}

async function listAddresses(db: Kysely<Database>, statement: RawBuilder<{ address: string }>): Promise<string[]> {
  const { rows } = await statement.execute(db)
  return rows.map(({ address }) => address)
}

/** The first statement of searchTokens, exported to test its plan. */
export function buildSearch({ q, limit, popular }: Search): RawBuilder<{ address: string }> {
  const candidates = Math.max(CANDIDATES, limit)
  const known = matchPopular(q.toLowerCase(), popular).slice(0, candidates)
  const term = sql`lower(${q})`
  const prefix = sql`lower(${`${escapeLike(q)}%`})`
  return sql`
    with candidates as (
      (select address, 1 as match from tokens where lower(symbol) = ${term}
        order by lower(symbol) using ~<~, block_number, log_index limit ${candidates})
      union all (select address, 2 from tokens where lower(symbol) like ${prefix}
        order by lower(symbol) using ~<~, block_number, log_index limit ${candidates})
      union all (select address, 3 from tokens where lower(name) like ${prefix}
        order by lower(name) using ~<~ limit ${candidates})
      union all (select * from unnest(
        ${known.map(({ address }) => address)}::text[], ${known.map(({ match }) => match)}::int[]))
      ${matchAddress(q, candidates)}
    )
    select best.address
    from (select address, min(match) as match from candidates group by address) best
    join token_figures figures on figures.token = best.address and figures.launched and not figures.hidden
    order by best.match, figures.market_cap desc, figures.token
    limit ${limit}`
}

/** The popular tokens that match, best first. */
function matchPopular(term: string, popular: readonly PopularToken[]): { address: string; match: number }[] {
  const matches = popular.flatMap(({ address, name, symbol }) => {
    if (symbol === term) return { address, match: 1 }
    if (symbol.startsWith(term)) return { address, match: 2 }
    if (name.startsWith(term)) return { address, match: 3 }
    return `${name} ${symbol}`.includes(term) ? { address, match: 4 } : []
  })
  return matches.sort((a, b) => a.match - b.match)
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
}): RawBuilder<{ address: string }> {
  return sql`
    select address from (select address from tokens where ${isWithin(q)} limit ${Math.max(CANDIDATES, limit) + found.length}) matches
    join token_figures figures on figures.token = address and figures.launched and not figures.hidden
    where address <> all (${found}::text[])
    order by figures.market_cap desc, address
    limit ${limit}`
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
