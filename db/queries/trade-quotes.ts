import { type Kysely, sql } from 'kysely'
import { AppError } from '../../errors.ts'
import type { LaunchpadKind } from '../../launchpads/kinds.ts'
import type { Database } from '../schema.ts'
import { tokenId } from '../token-ids.ts'
import { joinChainState } from './chain-state.ts'

/** The input of a quote. Amounts in base units. */
export interface QuoteStateRow {
  token: string
  launchpad: string
  launchpad_kind: LaunchpadKind
  /** The zero address: the native coin. */
  quote_token: string
  decimals: number
  /** Its pool: an address, or an id of 32 bytes; null before graduation. */
  pool: string | null
  status: 'curve' | 'completed' | 'graduated'
  virtual_quote: string
  virtual_token: string
  real_quote: string
  real_token: string
  pool_quote: string | null
  pool_token: string | null
  target_quote: string
  /** null if the launchpad does not say. */
  protocol_fee_bps: number | null
  creator_fee_bps: number | null
  /** Unix seconds of the newest block that the indexer has seen. */
  clock_time: number | null
  /** The native coin as an ERC-20, the quote side of every pool. */
  wrapped_native: string | null
}

/** Throws TOKEN_NOT_FOUND. */
export async function getQuoteState(db: Kysely<Database>, token: string): Promise<QuoteStateRow> {
  const { rows } = await sql<QuoteStateRow>`
    select t.address as token, t.launchpad, t.launchpad_kind, t.quote_token, t.decimals, f.pool, f.status, f.virtual_quote, f.virtual_token, f.real_quote, f.real_token, f.pool_quote,
      f.pool_token, t.target_quote, t.protocol_fee_bps, t.creator_fee_bps, s.clock_time,
      s.wrapped_native
    from token_figures f
    join tokens t on t.id = f.token_id
    ${joinChainState}
    where f.token_id = ${tokenId(token)}`.execute(db)
  const [state] = rows
  if (!state) throw new AppError('TOKEN_NOT_FOUND', { address: token })
  return state
}
