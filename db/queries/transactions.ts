import { type Kysely, type RawBuilder, sql } from 'kysely'
import { bytes } from '../hex.ts'
import type { Database } from '../schema.ts'
import { addressOf, tokenId } from '../token-ids.ts'
import { joinChainState } from './chain-state.ts'
import { isBefore, type PositionKeyset } from './positions.ts'
import { type QuoteAssetRow, quoteOf } from './quote-assets.ts'
import { letterOf, sideOf } from './trade-columns.ts'

/** A trade or another action of a wallet. `data` has the event's other values. */
export interface TransactionRow {
  block_number: number
  log_index: number
  block_time: number
  tx_hash: string
  confirmed: boolean
  type: string
  wallet: string
  /** A token's address, or the id of a raise or pool. */
  subject: string
  data: Record<string, unknown>
  /** Symbol of the native coin. */
  native_symbol: string
  /** The quote asset if the subject is a token; null: the native coin. */
  quote: QuoteAssetRow | null
}

export interface TransactionFilter {
  wallet?: string | undefined
  token?: string | undefined
  raise?: string | undefined
  proposal?: string | undefined
  pool?: string | undefined
  type?: string | undefined
  txHash?: string | undefined
}

/** Trades and actions, newest first. Each half is read from its own index, up to the limit, before both are merged. */
export async function listTransactions(
  db: Kysely<Database>,
  { filter, limit, after }: { filter: TransactionFilter; limit: number; after: PositionKeyset | null },
): Promise<TransactionRow[]> {
  const { rows } = await buildTransactionList({ filter, limit, after }).execute(db)
  return rows
}

/** The statement of listTransactions, exported to test its plan. */
export function buildTransactionList({
  filter: { wallet, token, raise, proposal, pool, type, txHash },
  limit,
  after,
}: {
  filter: TransactionFilter
  limit: number
  after: PositionKeyset | null
}): RawBuilder<TransactionRow> {
  const page = sql`${isBefore(after, 'block_number', 'log_index')}
    order by block_number desc, log_index desc limit ${limit}`
  const where = (
    column: string,
    value: string | undefined,
    convert: (value: string) => RawBuilder<unknown> = sql.val,
  ) => (value === undefined ? sql`` : sql`${sql.ref(column)} = ${convert(value)} and`)
  const ofHash = where('tx_hash', txHash, bytes)
  // An id is unique by its contract: no pool has the id of a raise.
  const whereIn = (table: 'raises' | 'staking_pools', id: string | undefined) =>
    id === undefined ? sql`` : sql`subject = ${id} and exists (select from ${sql.table(table)} where id = ${id}) and`
  const isOfToken = raise === undefined && proposal === undefined && pool === undefined
  const isTrade = type === 'buy' || type === 'sell'
  const trades = sql`(
    select ${tradeColumns} from trades t
    where ${where('trader', wallet, bytes)} ${where('token_id', token, tokenId)}
      ${where('side', type, letterOf)} ${ofHash} ${page}
  )`
  const actions = sql`(
    select ${actionColumns} from actions
    where ${where('wallet', wallet, bytes)} ${where('subject', token)} ${whereIn('raises', raise)}
      ${proposal === undefined ? sql`` : sql`data->>'proposal' = ${proposal} and`} ${whereIn('staking_pools', pool)} ${where('type', type)} ${ofHash} ${page}
  )`
  const both = sql`${trades} union all ${actions} order by block_number desc, log_index desc limit ${limit}`
  // Raises and staking pools have no trades.
  const source = !isOfToken ? actions : type === undefined ? sql`(${both})` : isTrade ? trades : actions
  return selectTransactions(source)
}

const positionColumns = sql`block_number, log_index, block_time, tx_hash`
const tradeColumns = sql`${positionColumns}, ${sideOf('t')} as type, trader as wallet, ${addressOf('t')} as subject,
  jsonb_strip_nulls(jsonb_build_object('tokenAmount', token_amount::text, 'quoteAmount', quote_amount::text,
    'protocolFee', protocol_fee::text, 'creatorFee', creator_fee::text)) as data`
const actionColumns = sql`${positionColumns}, type, wallet, subject, data`

const selectTransactions = (source: RawBuilder<unknown>) => sql<TransactionRow>`
  select e.*, coalesce(e.block_number <= s.finalized_number, false) as confirmed, s.native_symbol,
    (select ${quoteOf('k.quote_token')} from tokens k where k.address = e.subject) as quote
  from ${source} e
  ${joinChainState}
  order by e.block_number desc, e.log_index desc`
