import { type RawBuilder, sql, type Transaction } from 'kysely'
import { NATIVE } from './addresses.ts'
import type { Database } from './schema.ts'

/** The number of the launch that a token has now, to find its rows: null without one. */
export const tokenId = (address: string): RawBuilder<number> =>
  sql<number>`(select id from tokens where address = ${address})`

/** The address of a row's token, launched or not. */
export const addressOf = (alias: string): RawBuilder<string> =>
  sql<string>`(select address from token_ids where id = ${sql.ref(`${alias}.token_id`)})`

/** The numbers of a token, its launchpad and its quote asset in the rows of the largest tables. */
export interface TokenIds {
  id: number
  launchpad: number
  quote: number
  /** Whether the quote asset is the native coin. */
  isNative: boolean
}

/**
 * The numbers of these tokens by address. Do not keep them beyond the transaction: after a reorg another launch may have the
 * address. Those that are not launched, which cannot be traded, have none.
 */
export async function readTokenIds(
  trx: Transaction<Database>,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, TokenIds>> {
  if (addresses.length === 0) return new Map()
  const { rows } = await sql<TokenIds & { address: string }>`
    select t.address, t.id, l.id as launchpad, q.id as quote, t.quote_token = ${NATIVE} as "isNative"
    from tokens t
    join contract_ids l on l.address = decode(substr(t.launchpad, 3), 'hex')
    join contract_ids q on q.address = decode(substr(t.quote_token, 3), 'hex')
    where t.address = any(${addresses}::text[])`.execute(trx)
  return new Map(rows.map(({ address, ...ids }) => [address, ids]))
}

/** Throws Error for a token that is not launched, whose events the decoder rejects. */
export function getTokenIds(ids: ReadonlyMap<string, TokenIds>, address: string): TokenIds {
  const found = ids.get(address)
  if (!found) throw new Error(`The token ${address} is not launched`)
  return found
}
