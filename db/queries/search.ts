import { type Kysely, type RawBuilder, sql } from 'kysely'
import { foldText } from '../fold-text.ts'
import { columnToBytes } from '../hex.ts'
import { prepared } from '../postgres/prepared.ts'
import type { Database } from '../schema.ts'
import { toSymbolKey } from '../symbol-key.ts'
import { toSkeleton } from '../username-skeleton.ts'
import type { PopularTokens } from './popular-tokens.ts'
import type { AuthorColumns } from './profiles.ts'
import { findTokens, type TokenRow } from './tokens.ts'

/*
 * Ranking, best first: the address, the exact symbol or one that looks like it, a prefix of the symbol, a prefix of the
 * name, a match inside either; equal ranks by market cap. Each kind of match reads at most CANDIDATES rows (or the
 * limit) from its index, so the cost does not grow with the number of tokens; the index sorts an exact symbol before
 * longer ones that begin with it. The popular tokens are always considered, so a popular token is found among any
 * number of copies. The caller keeps them in memory: looking up a few hundred took most of the time of a search.
 */
const CANDIDATES = 32
/** The candidates of each kind of match if only one launchpad's tokens are wanted: the indexes do not contain the launchpad. */
const FILTERED_CANDIDATES = 1_000
/** The newest tokens are always considered, too: the caller's list of popular ones may be older than they are. */
const RECENT = 256

/** A trigram index needs three letters; a shorter term would scan all of it. */
const SEARCHABLE_WORD = /[\p{L}\p{N}]{3}/u

interface Search {
  q: string
  /** A kind of launchpad, for its tokens alone. */
  launchpad?: string | undefined
  limit: number
  /** May be old: the first search after five seconds renews them in the background. */
  popular: PopularTokens
}

/** Visible tokens by name, symbol or address, without regard to case and accents. A dollar sign before a symbol, as in $TICKER, is not part of the term. */
export async function searchTokens(db: Kysely<Database>, search: Search): Promise<TokenRow[]> {
  const { limit } = search
  const q = search.q.replace(/^\$(?=[\p{L}\p{N}])/u, '')
  // Accents alone, or invisible characters: every name begins with nothing.
  if (foldText(q) === '' || toSymbolKey(q) === '') return []
  const best = await listAddresses(db, buildSearch({ ...search, q }))
  // A match inside a word ranks below all others: it is searched only while there is room.
  const hasRoom = best.length < limit && SEARCHABLE_WORD.test(q)
  const more = hasRoom
    ? await listAddresses(db, buildSubstringSearch({ ...search, q, limit: limit - best.length, found: best }))
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
export function buildSearch({ q, launchpad, limit, popular }: Search): RawBuilder<{ address: string }> {
  const candidates = countCandidates(launchpad, limit)
  const known = popular.match(foldText(q), candidates).slice(0, candidates)
  const prefix = sql`fold_text(${`${escapeLike(q)}%`})`
  return sql`
    with candidates as (
      (select id, case when fold_text(symbol) = fold_text(${q}) then 1 else 2 end as match
        from tokens where fold_text(symbol) like ${prefix}
        order by fold_text(symbol) using ~<~, block_number, log_index limit ${candidates})
      union all (select id, 1 from tokens where symbol_key = ${toSymbolKey(q)}
        order by block_number, log_index limit ${candidates})
      union all (select id, 3 from tokens where fold_text(name) like ${prefix}
        order by fold_text(name) using ~<~ limit ${candidates})
      union all (select * from unnest(
        ${known.map(({ id }) => id)}::integer[], ${known.map(({ match }) => match)}::int[]))
      union all (select id, 4 from (select id, name, symbol from tokens
        order by block_number desc limit ${RECENT}) recent where ${isWithin(q)})
      ${matchAddress(q, candidates)}
    )
    select t.address
    from (select id, min(match) as match from candidates group by id) best
    join token_figures f on f.token_id = best.id and not f.hidden
    join tokens t on t.id = best.id and ${isOf(launchpad)}
    order by best.match, f.market_cap desc, best.id
    limit ${limit}`
}

/** The second statement of searchTokens: matches inside names and symbols, except those found already. */
export function buildSubstringSearch({
  q,
  launchpad,
  limit,
  found,
}: Omit<Search, 'popular'> & { found: readonly string[] }): RawBuilder<{ address: string }> {
  const candidates = countCandidates(launchpad, limit) + found.length
  return sql`
    select t.address from (select id, address, launchpad_kind from tokens where ${isWithin(q)} limit ${candidates}) t
    join token_figures f on f.token_id = t.id and not f.hidden
    where t.address <> all (${found}::text[]) and ${isOf(launchpad)}
    order by f.market_cap desc, t.id
    limit ${limit}`
}

const countCandidates = (launchpad: string | undefined, limit: number) =>
  Math.max(launchpad === undefined ? CANDIDATES : FILTERED_CANDIDATES, limit)

/** Whether tokens as t are of a kind of launchpad. */
const isOf = (launchpad: string | undefined) =>
  launchpad === undefined ? sql`true` : sql`t.launchpad_kind = ${launchpad}`

const isWithin = (q: string) =>
  sql`(fold_text(name) || ' ' || fold_text(symbol)) like fold_text(${`%${escapeLike(q)}%`})`

/**
 * Addresses that begin with the term, as a range of their unique index, which works under any collation: g sorts after the
 * hexadecimal digits in all of them.
 */
function matchAddress(q: string, candidates: number): RawBuilder<unknown> {
  const prefix = q.toLowerCase()
  if (!/^0x[0-9a-f]{1,40}$/.test(prefix)) return sql``
  return sql`union all (select id, 0 from tokens where address >= ${prefix} and address < ${`${prefix}g`}
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
    const { rows } = await prepared(selectWallets(sql`select ${address}::text as wallet`)).execute(db)
    return rows.filter(({ username, trades, created }) => username !== null || trades > 0 || created > 0)
  }
  const looks = /^@?\w{2,20}$/.test(q) ? toSkeleton(q.replace('@', '')) : ''
  if (looks === '') return []
  const { rows } = await prepared(buildWalletSearch(looks, limit)).execute(db)
  return rows
}

/**
 * By skeleton, because usernames are unique by skeleton: a search for `clover` finds `cl0ver`, and shows that it is
 * another name. A range of the index, shortest first: no letter sorts after the tilde.
 */
export function buildWalletSearch(looks: string, limit: number): RawBuilder<WalletRow> {
  return selectWallets(sql`
    select wallet, username_skeleton from profiles
    where username_skeleton >= ${looks} and username_skeleton < ${`${looks}~`} and banned_at is null
    order by username_skeleton limit ${limit}`)
}

/** `wallets`: a query of wallets. It runs twice, so that Citus reads the figures of these wallets only. */
const selectWallets = (wallets: RawBuilder<unknown>): RawBuilder<WalletRow> => sql`
  select w.wallet, p.username, p.avatar_url, coalesce(f.trades_total, 0) as trades,
    (select count(*) from tokens t where t.creator = w.wallet) as created
  from (${wallets}) w left join profiles p on p.wallet = w.wallet and p.banned_at is null
  left join (
    select wallet, trades_total from wallet_figures
    where wallet = any(array(select ${columnToBytes('found.wallet')} from (${wallets}) found))
  ) f on f.wallet = ${columnToBytes('w.wallet')}
  order by p.username_skeleton`
