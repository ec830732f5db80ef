import { type Kysely, sql } from 'kysely'
import { NATIVE } from '../../addresses.ts'
import type { Database } from '../../schema.ts'
import { type CandleGap, candleGaps } from '../archives.ts'
import { chartEnd } from '../candles.ts'
import { joinChainState } from '../chain-state.ts'
import { launchPriceNative } from '../tokens.ts'

/** A token as a symbol of a chart. Prices: native coin for one whole token. Times in unix seconds. */
export interface ChartSymbolRow {
  /** The number of the launch. */
  id: number
  token: string
  name: string
  symbol: string
  launched_at: number
  /** null if unknown, as price. */
  launch_price: number | null
  launch_price_usd: number | null
  price: number | null
  /** Whole tokens. */
  supply: number
  /** Whether the quote asset is not the native coin. */
  is_quoted: boolean
  /** US dollars for one native coin; null without a feed. */
  native_usd: string | null
  graduated_at: number | null
  /** Up to when the chain has been read. */
  clock: number
  gaps: CandleGap[]
}

/** A launched token that is not hidden. */
export async function findChartSymbol(db: Kysely<Database>, token: string): Promise<ChartSymbolRow | undefined> {
  const { rows } = await sql<ChartSymbolRow>`
    select t.id, t.address as token, t.name, t.symbol, t.block_time as launched_at, ${launchPriceNative} as launch_price,
      ${launchPriceNative} * b.quote_usd::double precision as launch_price_usd,
      f.price * case when t.quote_token = ${sql.lit(NATIVE)} then 1 else f.rate_native::double precision / 1e36 end as price,
      (t.total_supply / power(10::numeric, t.decimals))::double precision as supply,
      t.quote_token <> ${sql.lit(NATIVE)} as is_quoted, s.quote_usd as native_usd, f.graduated_at,
      ${chartEnd} as clock, ${candleGaps} as gaps
    from tokens t
    join token_figures f on f.token_id = t.id and not f.hidden
    left join blocks b on b.number = t.block_number
    ${joinChainState}
    where t.address = ${token}`.execute(db)
  return rows[0]
}
