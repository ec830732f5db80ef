import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

/**
 * Tokens that every search considers. Thousands of them fill the page for any term that many names contain, so that only
 * rare terms are searched inside names, where the index has short lists. A term in one of a thousand names fills a page
 * of 20.
 */
const POPULAR = 20_000

/** The POPULAR visible tokens by market cap. */
export class PopularTokens {
  /** The largest first. */
  readonly #tokens: readonly NamedToken[]
  /** Names and symbols of all, one after another: searching one string takes a third of the time of searching each. */
  readonly #text: string
  /** chain_state.undo_count when they were read: an undo may give the address of a token to another one. */
  readonly #undoCount: number

  constructor(tokens: readonly NamedToken[] = [], undoCount = 0) {
    this.#tokens = tokens
    this.#undoCount = undoCount
    this.#text = tokens.map(({ text }) => text).join('')
  }

  /**
   * Reads them. Names never change, so only those of tokens that `previous` lacks are read: reading 20,000 takes a second
   * when they are not in PostgreSQL's memory, their order alone 10 ms.
   */
  static async read(db: Kysely<Database>, previous?: PopularTokens): Promise<PopularTokens> {
    const { rows } = await sql<{ addresses: string; undoCount: number }>`
      select coalesce((select undo_count from chain_state limit 1), 0) as "undoCount", array_to_string(array(
        select token from token_figures where launched and not hidden
        order by market_cap desc, token limit ${POPULAR}
      ), ' ') as addresses`.execute(db)
    const { addresses, undoCount } = rows[0]!
    const known = new Map<string, NamedToken>()
    if (previous !== undefined && previous.#undoCount === undoCount)
      for (const token of previous.#tokens) known.set(token.address, token)
    const order = addresses === '' ? [] : addresses.split(' ')
    const unknown = order.filter((address) => !known.has(address))
    for (const token of await readNames(db, unknown)) known.set(token.address, token)
    return new PopularTokens(
      order.flatMap((address) => known.get(address) ?? []),
      undoCount,
    )
  }

  /**
   * Those that match a term in lower case, best first, at most `limit` of each kind. match: 1 the symbol, 2 a prefix of
   * the symbol, 3 a prefix of the name, 4 inside.
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
      // Nothing precedes the symbol itself.
      if (kinds[0]!.length === limit) break
      found = this.#text.indexOf(term, end)
    }
    return kinds.flatMap((addresses, kind) => addresses.map((address) => ({ address, match: kind + 1 })))
  }
}

interface NamedToken {
  address: string
  /** The name, a space, the symbol and a separator, in lower case. */
  text: string
  /** Where the symbol begins in `text`. */
  symbolAt: number
}

/** No term contains it. */
const SEPARATOR = '\n'

async function readNames(db: Kysely<Database>, addresses: readonly string[]): Promise<NamedToken[]> {
  if (addresses.length === 0) return []
  const { rows } = await sql<{ address: string; name: string; symbol: string }>`
    select address, lower(name) as name, lower(symbol) as symbol
    from tokens where address = any(${addresses}::text[])`.execute(db)
  return rows.map(({ address, name, symbol }) => ({
    address,
    text: `${name} ${symbol}${SEPARATOR}`,
    symbolAt: name.length + 1,
  }))
}

function kindOf(term: string, text: string, symbolAt: number): number {
  if (text.startsWith(term, symbolAt)) return text.length === symbolAt + term.length + SEPARATOR.length ? 0 : 1
  return text.startsWith(term) && term.length < symbolAt ? 2 : 3
}
