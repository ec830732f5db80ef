import { type Kysely, sql } from 'kysely'
import { bytes } from '../hex.ts'
import type { Database } from '../schema.ts'

/** What a token is to a wallet. */
export interface TokenMarks {
  liked: boolean
  watched: boolean
}

/** What these launched tokens are to a wallet, by address. */
export async function findTokenMarks(
  db: Kysely<Database>,
  { wallet, tokens }: { wallet: string; tokens: readonly string[] },
): Promise<ReadonlyMap<string, TokenMarks>> {
  if (tokens.length === 0) return new Map()
  const { rows } = await sql<TokenMarks & { address: string }>`
    select t.address, l.wallet is not null as liked, w.wallet is not null as watched
    from tokens t
    left join token_likes l on l.token_id = t.id and l.wallet = ${wallet}
    left join watched_tokens w on w.token_id = t.id and w.wallet = ${bytes(wallet)}
    where t.address = any(${tokens}::text[])`.execute(db)
  return new Map(rows.map(({ address, ...marks }) => [address, marks]))
}

/** Those of these tokens that are hidden. */
export async function findHidden(db: Kysely<Database>, tokens: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ address: string }>`
    select t.address from tokens t join token_figures f on f.token_id = t.id
    where t.address = any(${tokens}::text[]) and f.hidden`.execute(db)
  return new Set(rows.map(({ address }) => address))
}
