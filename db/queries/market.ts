import { type Kysely, sql } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Database } from '../schema.ts'
import { joinChainState } from './chain-state.ts'

/** The input of a quote. Amounts in base units. */
export interface MarketRow {
  token: string
  launchpad: string
  status: 'curve' | 'completed' | 'graduated'
  virtual_quote: string
  virtual_token: string
  real_quote: string
  real_token: string
  pool_quote: string | null
  pool_token: string | null
  target_quote: string
  protocol_fee_bps: number
  creator_fee_bps: number
  /** Unix seconds of the newest block that the indexer has seen. */
  clock_time: number | null
  /** The native coin as an ERC-20, the quote side of every pool. */
  wrapped_native: string | null
}

/** Throws TOKEN_NOT_FOUND. */
export async function getMarket(db: Kysely<Database>, token: string): Promise<MarketRow> {
  const { rows } = await sql<MarketRow>`
    select f.token, t.launchpad, f.status, f.virtual_quote, f.virtual_token, f.real_quote, f.real_token, f.pool_quote,
      f.pool_token, t.target_quote, t.protocol_fee_bps, t.creator_fee_bps, s.clock_time,
      s.wrapped_native
    from token_figures f
    join tokens t on t.address = f.token
    ${joinChainState}
    where f.token = ${token} and f.launched`.execute(db)
  const [market] = rows
  if (!market) throw new AppError('TOKEN_NOT_FOUND', { address: token })
  return market
}
