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

  private constructor(tokens: readonly NamedToken[]) {
    this.#tokens = tokens
    this.#text = tokens.map(({ text }) => text).join('')
  }

  /**
   * Reads the popular tokens. The names of a launch never change, so only those that `previous` lacks are read: reading 20,000
   * takes a second when they are not in PostgreSQL's memory, their order alone 10 ms.
   */
  static async read(db: Kysely<Database>, previous?: PopularTokens): Promise<PopularTokens> {
    const { rows } = await sql<{ ids: string }>`
      select array_to_string(array(
        select token_id from token_figures where not hidden
        order by market_cap desc, token_id limit ${POPULAR}
      ), ' ') as ids`.execute(db)
    const { ids } = rows[0]!
    const order = ids === '' ? [] : ids.split(' ').map(Number)
    const known = new Map<number, NamedToken>()
    if (previous !== undefined) for (const token of previous.#tokens) known.set(token.id, token)
    const unknown = order.filter((id) => !known.has(id))
    for (const token of await readNames(db, unknown)) known.set(token.id, token)
    // A reorg may have removed one meanwhile.
    return new PopularTokens(order.flatMap((id) => known.get(id) ?? []))
  }

  /**
   * Popular tokens that match a folded term, best first, at most `limit` of each kind. match: 1 the symbol, 2 a
   * prefix of the symbol, 3 a prefix of the name, 4 inside.
   */
  match(term: string, limit: number): { id: number; match: number }[] {
    const kinds: number[][] = [[], [], [], []]
    let end = 0
    let found = this.#text.indexOf(term)
    for (const { id, text, symbolAt } of this.#tokens) {
      if (found === -1) break
      end += text.length
      if (found >= end) continue
      const kind = kinds[kindOf(term, text, symbolAt)]!
      if (kind.length < limit) kind.push(id)
      // Enough exact symbols: no other match ranks above them.
      if (kinds[0]!.length === limit) break
      found = this.#text.indexOf(term, end)
    }
    return kinds.flatMap((ids, kind) => ids.map((id) => ({ id, match: kind + 1 })))
  }
}

interface NamedToken {
  /** The number of its launch. */
  id: number
  /** The name, a space, the symbol and a separator, all folded. */
  text: string
  /** Where the symbol begins in `text`. */
  symbolAt: number
}

/** PostgreSQL stores no text with it, and no search term may contain it. */
const SEPARATOR = '\0'

async function readNames(db: Kysely<Database>, ids: readonly number[]): Promise<NamedToken[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number; name: string; symbol: string }>`
    select id, fold_text(name) as name, fold_text(symbol) as symbol from tokens where id = any(${ids}::integer[])`.execute(
    db,
  )
  return rows.map(({ id, name, symbol }) => ({
    id,
    text: `${name} ${symbol}${SEPARATOR}`,
    symbolAt: name.length + 1,
  }))
}

function kindOf(term: string, text: string, symbolAt: number): number {
  if (text.startsWith(term, symbolAt)) return text.length === symbolAt + term.length + SEPARATOR.length ? 0 : 1
  return text.startsWith(term) && term.length < symbolAt ? 2 : 3
}
