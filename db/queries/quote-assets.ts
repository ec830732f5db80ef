import { type Kysely, type RawBuilder, sql } from 'kysely'
import { NATIVE } from '../addresses.ts'
import type { Database } from '../schema.ts'

/** An asset besides the native coin in which tokens are priced, with its current value. */
export interface QuoteAssetRow {
  address: string
  symbol: string
  decimals: number
  /** US dollars for one whole unit; null if unknown. */
  usd: string | null
  /** Native coin for one whole unit, an integer with RATE_DECIMALS decimals; null if unknown. */
  native: string | null
}

/** The asset whose key a column has. */
const selectAsset = (key: 'address' | 'id', column: string): RawBuilder<QuoteAssetRow> => sql<QuoteAssetRow>`(
    select jsonb_build_object('address', a.address, 'symbol', a.symbol, 'decimals', a.decimals, 'usd', a.usd::text,
      'native', a.native::text)
    from quotes a where ${sql.ref(`a.${key}`)} = ${sql.ref(column)})`

/**
 * The quote asset whose address a column has; null for the native coin. A subquery that rows of tokens in native coin do not run:
 * most are.
 */
export const quoteOf = (column: string): RawBuilder<QuoteAssetRow | null> =>
  sql<QuoteAssetRow | null>`case when ${sql.ref(column)} <> ${sql.lit(NATIVE)} then ${selectAsset('address', column)} end`

/** The quote asset of rows of trades; null for the native coin. */
export const quoteOfTrade = (alias: string): RawBuilder<QuoteAssetRow | null> =>
  sql<QuoteAssetRow | null>`case when ${sql.ref(`${alias}.value_native`)} is not null then ${selectAsset('id', `${alias}.quote_id`)} end`

/** An amount of a token's quote asset in native coin at the rate of its last price. Refers to tokens as t, token_figures as f. */
export const inNative = (amount: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`case when t.quote_token = ${sql.lit(NATIVE)} then ${amount}
    else div(${amount} * f.rate_native, power(10::numeric, t.quote_decimals + 18)) end`

/** The quote assets of those of these tokens that are not priced in the native coin. */
export async function findQuotesOf(
  db: Kysely<Database>,
  tokens: readonly string[],
): Promise<ReadonlyMap<string, QuoteAssetRow>> {
  if (tokens.length === 0) return new Map()
  const { rows } = await sql<{ token: string; quote: QuoteAssetRow }>`
    select t.address as token, ${quoteOf('t.quote_token')} as quote from tokens t
    where t.address = any(${[...new Set(tokens)]}::text[]) and t.quote_token <> ${sql.lit(NATIVE)}`.execute(db)
  return new Map(rows.map(({ token, quote }) => [token, quote]))
}
