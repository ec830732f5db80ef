import { sql, type Transaction } from 'kysely'
import type { Database } from '../db/schema.ts'

type Route =
  | { fixed: string }
  | { feed: string }
  | { pool: string; venue: string; quote: string; minLiquidityUsd: string }

/** An asset besides the native coin in which tokens are priced. */
export interface AuditedQuote {
  address: string
  decimals: number
  route: Route
  /** Launches from this block on count. */
  since: number
}

export type AuditedQuotes = ReadonlyMap<string, AuditedQuote>

export async function readQuotes(trx: Transaction<Database>): Promise<AuditedQuotes> {
  const { rows } = await sql<AuditedQuote>`
    select address, decimals, route, since_block as since from quotes`.execute(trx)
  return new Map(rows.map((row) => [row.address, row]))
}

/** The asset that a launch names; null: the native coin, wrapped or not; undefined: none in which launches count then. */
export function findQuote(
  named: string,
  block: number,
  { quotes, wrappedNative }: { quotes: AuditedQuotes; wrappedNative: string },
): AuditedQuote | null | undefined {
  if (BigInt(named) === 0n || named === wrappedNative) return null
  const quote = quotes.get(named)
  return quote && quote.since <= block ? quote : undefined
}

/** What one whole unit of an asset is worth. */
interface Worth {
  /** Eight decimals. */
  usd: bigint | null
  /** 36 decimals. */
  native: bigint | null
}

const within = (value: bigint, most: bigint) => (value >= 1n && value <= most ? value : null)
const [MOST_USD, MOST_NATIVE, MOST_AMOUNT] = [10n ** 23n, 10n ** 60n, 2n ** 128n - 1n]
const ONE = 10n ** 36n

/** Dollars with eight decimals. */
function readUsd(text: string): bigint {
  const [whole, fraction = ''] = text.split('.')
  return BigInt(`${whole}${fraction.padEnd(8, '0')}`)
}

interface BlockPrices {
  nativeUsd: bigint | null
  /** Prices read at the block, by asset. */
  read: ReadonlyMap<string, bigint>
}

function worthOf(asset: string, quotes: AuditedQuotes, prices: BlockPrices): Worth {
  const route = quotes.get(asset)?.route
  const read = prices.read.get(asset)
  if (route && 'pool' in route) {
    const base =
      route.quote === 'native' ? { usd: prices.nativeUsd, native: ONE } : worthOf(route.quote, quotes, prices)
    const times = (worth: bigint | null, most: bigint) =>
      read === undefined || worth === null ? null : within((read * worth) / ONE, most)
    return { usd: times(base.usd, MOST_USD), native: times(base.native, MOST_NATIVE) }
  }
  const given = route && 'fixed' in route ? readUsd(route.fixed) : read
  const usd = given === undefined ? null : within(given, MOST_USD)
  const { nativeUsd } = prices
  return { usd, native: usd === null || nativeUsd === null ? null : within((usd * ONE) / nativeUsd, MOST_NATIVE) }
}

/** Values amounts of quote assets by the prices of one block. null stands for the native coin. */
export class BlockWorth {
  readonly #quotes: AuditedQuotes
  readonly #prices: BlockPrices

  constructor(quotes: AuditedQuotes, prices: BlockPrices) {
    this.#quotes = quotes
    this.#prices = prices
  }

  of(quote: AuditedQuote | null): Worth {
    if (quote === null) return { usd: this.#prices.nativeUsd, native: null }
    return worthOf(quote.address, this.#quotes, this.#prices)
  }

  usdOf(quote: AuditedQuote | null, amount: bigint): bigint | null {
    const { usd } = this.of(quote)
    const value = usd === null ? null : (amount * usd) / 10n ** BigInt(quote?.decimals ?? 18)
    return value === null || value > MOST_USD ? null : value
  }

  /** The column value_native. */
  nativeOf(quote: AuditedQuote | null, amount: bigint): bigint | null {
    if (quote === null) return null
    const { native } = this.of(quote)
    if (native === null) return 0n
    const value = (amount * native) / 10n ** BigInt(quote.decimals + 18)
    return value > MOST_AMOUNT ? 0n : value
  }

  /** The columns that follow from the price of a token with 18 decimals, a fraction in base units. */
  priceColumns(quote: AuditedQuote | null, paid: bigint, token: bigint) {
    const { usd, native } = this.of(quote)
    const price = token === 0n ? 0 : (Number(paid) / Number(token)) * 10 ** (18 - (quote?.decimals ?? 18))
    return { price, price_usd: usd === null ? null : price * (Number(usd) / 1e8), rate_native: native }
  }
}
