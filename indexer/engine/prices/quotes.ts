import { sql, type Transaction } from 'kysely'
import { formatUsd } from '../../../chain/amounts.ts'
import { findRate, type QuoteAsset, type ReadPrices } from '../../../chain/rates.ts'
import type { Db } from '../../../db/client.ts'
import { toBytes } from '../../../db/hex.ts'
import type { Database } from '../../../db/schema.ts'

type Quotes = ReadonlyMap<string, QuoteAsset>

/** All quote assets as a column, for a statement that reads something else as well. */
export const quotesColumn = sql<QuoteAsset[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('address', address, 'symbol', symbol, 'decimals', decimals, 'route', route,
    'since', since_block) order by id), '[]') from quotes)`

/** The assets besides the native coin in which tokens may be priced, by address. */
export const byAddress = (quotes: readonly QuoteAsset[]): Quotes =>
  new Map(quotes.map((quote) => [quote.address, quote]))

async function readQuotes(db: Db): Promise<Quotes> {
  const { rows } = await sql<{ quotes: QuoteAsset[] }>`select ${quotesColumn} as quotes`.execute(db)
  return byAddress(rows[0]?.quotes ?? [])
}

/**
 * Adds the assets of QUOTES that are new: launches in them count from the next block on. Where the decimals or the route of one
 * have changed, marks all derived tables to be rebuilt.
 */
export async function addQuotes(trx: Transaction<Database>, quotes: ReadonlyMap<string, QuoteAsset>): Promise<void> {
  const known = await readQuotes(trx)
  for (const { address, symbol, decimals, route: given } of quotes.values()) {
    const route = JSON.stringify(given)
    const stored = known.get(address)
    if (stored === undefined) {
      await sql`
        with added as (
          insert into contract_ids (id, address)
          select coalesce(max(id), 0) + 1, ${toBytes(address)} from contract_ids
          having not exists (select from contract_ids where address = ${toBytes(address)})
          returning id
        )
        insert into quotes (id, address, symbol, decimals, route, since_block)
        select coalesce((select id from added), (select id from contract_ids where address = ${toBytes(address)})), ${address},
          ${symbol}, ${decimals}, ${route}::jsonb,
          greatest(checkpoint_number, (select coalesce(max(number), 0) from blocks)) + 1
        from chain_state`.execute(trx)
      continue
    }
    await sql`update quotes set symbol = ${symbol}, decimals = ${decimals}, route = ${route}::jsonb
      where address = ${address}`.execute(trx)
    if (stored.decimals !== decimals || !isSameRoute(stored.route, given))
      await sql`update chain_state set rules = 0`.execute(trx)
  }
}

const sorted = (route: object) => JSON.stringify(Object.entries(route).sort(([a], [b]) => (a < b ? -1 : 1)))
const isSameRoute = (a: object, b: object): boolean => sorted(a) === sorted(b)

interface Prices {
  nativeUsd: bigint | null
  quotePrices: ReadPrices | null
}

/** Stores the value of each asset at the checkpoint. */
export async function storeRates(
  trx: Transaction<Database>,
  quotes: ReadonlyMap<string, QuoteAsset>,
  prices: Prices,
): Promise<void> {
  if (quotes.size === 0) return
  const rates = [...quotes.keys()].map((address) => ({ address, ...findRate(address, quotes, prices) }))
  await sql`
    update quotes q set usd = k.usd, native = k.native
    from unnest(${rates.map(({ address }) => address)}::text[],
      ${rates.map(({ usd }) => (usd === null ? null : formatUsd(usd)))}::numeric[],
      ${rates.map(({ native }) => native?.toString() ?? null)}::numeric[]) as k (address, usd, native)
    where q.address = k.address and (q.usd, q.native) is distinct from (k.usd, k.native)`.execute(trx)
}
