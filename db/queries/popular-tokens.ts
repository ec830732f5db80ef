import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

/**
 * Tokens that every search considers. Thousands of them fill the page for any term that many names contain, so that only
 * rare terms are searched inside names, where the index has short lists. A term that occurs in one of 1,000 names has
 * 20 matches: a full page.
 */
const POPULAR = 20_000

/** The POPULAR visible tokens by market cap. */
export class PopularTokens {
  /** The largest first. */
  readonly #tokens: readonly NamedToken[]
  /** Names and symbols of all, one after another: searching one string takes a third of the time of searching each. */
  readonly #text: string
  /** chain_state.undo_count when they were read: after an undo, another token may have the same address. */
  readonly #undoCount: number | undefined

  private constructor(tokens: readonly NamedToken[], undoCount: number | undefined) {
    this.#tokens = tokens
    this.#undoCount = undoCount
    this.#text = tokens.map(({ text }) => text).join('')
  }

  /**
   * Reads the popular tokens. Names never change, so only those of tokens that `previous` lacks are read: reading 20,000
   * takes a second when they are not in PostgreSQL's memory, their order alone 10 ms.
   */
  static async read(db: Kysely<Database>, previous?: PopularTokens): Promise<PopularTokens> {
    const { rows } = await sql<{ addresses: string; undoCount: number }>`
      select ${undoCountNow} as "undoCount", array_to_string(array(
        select token from token_figures where launched and not hidden
        order by market_cap desc, token limit ${POPULAR}
      ), ' ') as addresses`.execute(db)
    const { addresses, undoCount } = rows[0]!
    const known = new Map<string, NamedToken>()
    if (previous !== undefined && previous.#undoCount === undoCount)
      for (const token of previous.#tokens) known.set(token.address, token)
    const order = addresses === '' ? [] : addresses.split(' ')
    const unknown = order.filter((address) => !known.has(address))
    const named = await readNames(db, unknown)
    for (const token of named.tokens) known.set(token.address, token)
    // Names that were read after an undo, or on a replica before it, are not kept.
    const isConsistent = unknown.length === 0 || named.undoCount === undoCount
    return new PopularTokens(
      order.flatMap((address) => known.get(address) ?? []),
      isConsistent ? undoCount : undefined,
    )
  }

  /**
   * Popular tokens that match a folded term, best first, at most `limit` of each kind. match: 1 the symbol, 2 a
   * prefix of the symbol, 3 a prefix of the name, 4 inside.
   */
  match(term: string, limit: number): { address: string; match: number }[] {
    const kinds: string[][] = [[], [], [], []]
    let end = 0
    let found = this.#text.indexOf(term)
    for (const { address, text, symbolAt } of this.#tokens) {
      if (found === -1) break
      end += text.length
      if (found >= end) continue
      const kind = kinds[kindOf(term, text, symbolAt)]!
      if (kind.length < limit) kind.push(address)
      // Enough exact symbols: no other match ranks above them.
      if (kinds[0]!.length === limit) break
      found = this.#text.indexOf(term, end)
    }
    return kinds.flatMap((addresses, kind) => addresses.map((address) => ({ address, match: kind + 1 })))
  }
}

const undoCountNow = sql<number>`coalesce((select undo_count from chain_state limit 1), 0)`

interface NamedToken {
  address: string
  /** The name, a space, the symbol and a separator, all folded. */
  text: string
  /** Where the symbol begins in `text`. */
  symbolAt: number
}

/** PostgreSQL stores no text with it, and no search term may contain it. */
const SEPARATOR = '\0'

async function readNames(db: Kysely<Database>, addresses: readonly string[]) {
  if (addresses.length === 0) return { tokens: [] }
  const { rows } = await sql<{ address: string; name: string; symbol: string; undoCount: number }>`
    select address, fold_text(name) as name, fold_text(symbol) as symbol, ${undoCountNow} as "undoCount"
    from tokens where address = any(${addresses}::text[])`.execute(db)
  const tokens = rows.map(({ address, name, symbol }): NamedToken => {
    return { address, text: `${name} ${symbol}${SEPARATOR}`, symbolAt: name.length + 1 }
  })
  return { tokens, undoCount: rows[0]?.undoCount }
}

function kindOf(term: string, text: string, symbolAt: number): number {
  if (text.startsWith(term, symbolAt)) return text.length === symbolAt + term.length + SEPARATOR.length ? 0 : 1
  return text.startsWith(term) && term.length < symbolAt ? 2 : 3
}
