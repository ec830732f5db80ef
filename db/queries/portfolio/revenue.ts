import { type Kysely, type RawBuilder, sql } from 'kysely'
import { AppError } from '../../../errors.ts'
import { bytes } from '../../hex.ts'
import type { Database } from '../../schema.ts'
import { tokenId } from '../../token-ids.ts'
import { joinChainState } from '../chain-state.ts'
import { type QuoteAssetRow, quoteOf } from '../quote-assets.ts'

/** Creator fees in a quote asset, in its base units. null where the chain does not contain them. */
export interface RevenueRow {
  claimed: string | null
  unclaimed: string | null
  quote: QuoteAssetRow | null
  /** Symbol of the native coin. */
  native_symbol: string
}

/** Creator fees of all tokens of a wallet in a quote asset. */
export interface RevenueTotalRow extends RevenueRow {
  /** Tokens that the wallet launched whose fees the chain does not contain. */
  unknown_tokens: number
}

/** Whether the launch says what share of trades the creator gets. Else trades do not say it either. */
const isKnown = sql`t.creator_fee_bps is not null`

/** Fees of a token that are not paid out; a contract that pays out more than it said leaves none. */
const unclaimed = sql`greatest(f.creator_fees - f.creator_fees_claimed, 0)`

/**
 * What a wallet gets when the fees of t are paid out, as r.own: null without a split. The last share gets what rounding leaves, as in
 * chain/creator-fees.ts.
 */
const joinOwn = (wallet: string) => sql`left join lateral (
    select case when count(*) > 0 then coalesce(sum(
        case when position < last then part else ${unclaimed} - before_last end
      ) filter (where recipient = ${bytes(wallet)}), 0) end as own
    from (
      select recipient, position, last, part, coalesce(sum(part) filter (where position < last) over (), 0) as before_last
      from (
        select recipient, position, max(position) over () as last, div(${unclaimed} * bps, 10000) as part
        from fee_shares where token_id = f.token_id and (block_number, log_index) = (
          select block_number, log_index from fee_shares newest where newest.token_id = f.token_id
          order by block_number desc, log_index desc limit 1)
      ) shares
    ) parts
  ) r on true`

const ownPart = (wallet: string) => sql`coalesce(r.own, case when t.creator = ${wallet} then ${unclaimed} else 0 end)`

/** The creator fees of a token: of all recipients, or of one. Throws TOKEN_NOT_FOUND. */
export async function getRevenue(
  db: Kysely<Database>,
  { token, wallet }: { token: string; wallet: string | null },
): Promise<RevenueRow> {
  const of = wallet === null ? { claimed: sql`f.creator_fees_claimed`, unclaimed } : ofWallet(wallet)
  const { rows } = await sql<RevenueRow>`
    select case when ${isKnown} then ${of.claimed} end as claimed, case when ${isKnown} then ${of.unclaimed} end as unclaimed,
      ${quoteOf('t.quote_token')} as quote, s.native_symbol
    from token_figures f join tokens t on t.id = f.token_id ${wallet === null ? sql`` : joinOwn(wallet)} ${joinChainState}
    where f.token_id = ${tokenId(token)}`.execute(db)
  if (!rows[0]) throw new AppError('TOKEN_NOT_FOUND', { address: token })
  return rows[0]
}

const ofWallet = (wallet: string) => ({
  claimed: sql`coalesce((select claimed from creator_revenue p
    where p.token_id = f.token_id and p.recipient = ${bytes(wallet)}), 0)`,
  unclaimed: ownPart(wallet),
})

interface TotalsQuery {
  wallet: string
  /** Tokens that are read at most, newest first. */
  limit: number
}

/** What a wallet gets of the creator fees of its tokens and of others that name it, by quote asset. */
export async function sumRevenue(
  db: Kysely<Database>,
  args: TotalsQuery,
): Promise<{ rows: RevenueTotalRow[]; truncated: boolean }> {
  const { rows } = await buildRevenueTotals(args).execute(db)
  return { rows, truncated: rows.some(({ tokens, paid_tokens }) => Math.max(tokens, paid_tokens) > args.limit) }
}

/** The statement of sumRevenue, exported to test its plan. One more token than the limit shows that there are more. */
export function buildRevenueTotals({
  wallet,
  limit,
}: TotalsQuery): RawBuilder<RevenueTotalRow & { tokens: number; paid_tokens: number }> {
  const most = sql.lit(limit + 1)
  const named = sql`
    select id from (
      (select id from tokens where creator = ${wallet} order by block_number desc, log_index desc limit ${most})
      union
      (select distinct token_id from fee_shares where recipient = ${bytes(wallet)} order by token_id desc limit ${most})
    ) k order by id desc limit ${most}`
  const pending = sql`
    select t.quote_token, null::numeric as claimed, sum(${ownPart(wallet)}) filter (where ${isKnown}) as unclaimed,
      count(*) filter (where not ${isKnown}) as unknown_tokens, count(*) as tokens, 0 as paid_tokens
    from token_figures f join tokens t on t.id = f.token_id ${joinOwn(wallet)}
    where f.token_id = any(array(${named})) group by t.quote_token`
  const paid = sql`
    select t.quote_token, sum(p.claimed), 0, 0, 0, count(*)
    from (
      select token_id, claimed from creator_revenue where recipient = ${bytes(wallet)} order by token_id desc limit ${most}
    ) p join tokens t on t.id = p.token_id group by t.quote_token`
  return sql`
    select coalesce(sum(claimed), case when sum(unclaimed) is not null then 0 end) as claimed, sum(unclaimed) as unclaimed,
      sum(unknown_tokens)::integer as unknown_tokens, sum(sum(tokens)) over ()::integer as tokens,
      sum(sum(paid_tokens)) over ()::integer as paid_tokens, ${quoteOf('sums.quote_token')} as quote, s.native_symbol
    from (${pending} union all ${paid}) sums ${joinChainState}
    group by quote_token, s.native_symbol order by quote_token`
}
