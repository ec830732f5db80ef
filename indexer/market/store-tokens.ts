import { sql, type Transaction } from 'kysely'
import { zeroAddress } from 'viem'
import { parseUsd } from '../../chain/amounts.ts'
import { DEAD_ADDRESS } from '../../db/addresses.ts'
import { type BulkTarget, type Column, saveRows, writeRows } from '../../db/bulk.ts'
import { bytes, columnToBytes } from '../../db/hex.ts'
import type { Database } from '../../db/schema.ts'
import type { LaunchpadKind } from '../../launchpads/kinds.ts'
import type { QuoteVolumes } from './deltas.ts'
import { formatProgress, marketCap, pricedReserves, priceOf, statusOf, type TokenFigures } from './token-figures.ts'
import { toTrendOrder } from './trend.ts'
import type { Turnover } from './turnover.ts'

type StoredFigures = Record<string, string | number | boolean | null>

type FigureColumn = Column<TokenFigures>
const bigint = (name: string, value: FigureColumn['value']): FigureColumn => ({ name, type: 'bigint', value })
const integer = (name: string, value: FigureColumn['value']): FigureColumn => ({ name, type: 'integer', value })
const numeric = (name: string, value: FigureColumn['value']): FigureColumn => ({ name, type: 'numeric', value })
const text = (name: string, value: FigureColumn['value']): FigureColumn => ({ name, type: 'text', value })
const quoteVolume = (window: keyof QuoteVolumes) => (f: TokenFigures) =>
  f.isNative ? null : (f.sums.quoteVolumes?.[window] ?? 0n)
const float = (name: string, value: FigureColumn['value']): FigureColumn => ({ name, type: 'float8', value })

// Not written here: hidden is set by operators, holder figures are refreshed from the balances, first_trade_at with the snipers.
const target: BulkTarget<TokenFigures> & { key: string[] } = {
  table: 'token_figures',
  key: ['token_id'],
  columns: [
    integer('token_id', (f) => f.id),
    bigint('created_block', (f) => f.created?.blockNumber ?? 0),
    integer('created_log', (f) => f.created?.logIndex ?? 0),
    text('status', statusOf),
    bigint('completed_block', (f) => f.completed?.blockNumber ?? null),
    integer('completed_log', (f) => f.completed?.logIndex ?? null),
    bigint('graduated_block', (f) => f.graduated?.blockNumber ?? null),
    integer('graduated_log', (f) => f.graduated?.logIndex ?? null),
    bigint('graduated_at', (f) => f.graduated?.at ?? null),
    { name: 'pool', type: 'hex', value: (f) => f.poolAddress },
    numeric('virtual_quote', (f) => f.curve?.quote ?? 0n),
    numeric('virtual_token', (f) => f.curve?.token ?? 0n),
    numeric('real_quote', (f) => f.curve?.realQuote ?? 0n),
    numeric('real_token', (f) => f.curve?.realToken ?? 0n),
    bigint('curve_block', (f) => f.curve?.blockNumber ?? null),
    integer('curve_log', (f) => f.curve?.logIndex ?? null),
    numeric('pool_quote', (f) => f.pool?.quote ?? null),
    numeric('pool_token', (f) => f.pool?.token ?? null),
    bigint('pool_block', (f) => f.pool?.blockNumber ?? null),
    integer('pool_log', (f) => f.pool?.logIndex ?? null),
    numeric('progress', formatProgress),
    float('price', priceOf),
    numeric('market_cap', marketCap),
    float('ath_market_cap_usd', (f) => f.athMarketCapUsd),
    numeric('volume_total', (f) => f.sums.total.volume),
    numeric('volume_h24', (f) => f.sums.h24.volume),
    numeric('volume_h1', (f) => f.sums.h1.volume),
    { name: 'volume_usd_h24', type: 'numeric8', value: (f) => f.sums.h24.volumeUsd },
    { name: 'volume_usd_h1', type: 'numeric8', value: (f) => f.sums.h1.volumeUsd },
    bigint('trades_total', (f) => f.sums.total.trades),
    bigint('buys_h1', (f) => f.sums.buysH1),
    bigint('sells_h1', (f) => f.sums.sellsH1),
    bigint('buys_h24', (f) => f.sums.buysH24),
    bigint('sells_h24', (f) => f.sums.sellsH24),
    bigint('traders_h24', (f) => f.sums.tradersH24),
    numeric('protocol_fees', (f) => f.sums.protocolFees),
    numeric('creator_fees', (f) => f.sums.creatorFees),
    numeric('creator_fees_claimed', (f) => f.sums.creatorFeesClaimed),
    bigint('last_trade_block', (f) => f.lastTrade?.blockNumber ?? null),
    integer('last_trade_log', (f) => f.lastTrade?.logIndex ?? null),
    bigint('last_trade_at', (f) => f.lastTrade?.at ?? null),
    float('trend', (f) => toTrendOrder(f.trend)),
    numeric('trend_sum', (f) => f.trend.sum),
    integer('trend_exponent', (f) => f.trend.exponent),
    bigint('positive_balances', (f) => f.sums.positiveBalances),
    numeric('wash_volume', (f) => f.sums.washVolume),
    numeric('rate_native', (f) => pricedReserves(f).rate),
    numeric('volume_quote_total', quoteVolume('total')),
    numeric('volume_quote_h24', quoteVolume('h24')),
    numeric('volume_quote_h1', quoteVolume('h1')),
  ],
}

/** The figures of these tokens, which are launched, by address. */
export async function loadFigures(
  trx: Transaction<Database>,
  tokens: readonly string[],
): Promise<Map<string, TokenFigures>> {
  const { rows } = await sql<StoredFigures>`
    select f.*, t.id, t.address, t.launchpad, t.launchpad_kind, t.total_supply, t.target_quote, t.quote_token, t.decimals, t.quote_decimals,
      f.first_trade_at + (select sniper_seconds from chain_state limit 1) as snipers_until
    from tokens t left join token_figures f on f.token_id = t.id where t.address = any(${tokens}::text[])`.execute(trx)
  return new Map(rows.map((row) => [String(row.address), parseFigures(row)]))
}

interface OpenedPool {
  pool: string
  id: number
}

const pools: BulkTarget<OpenedPool> = {
  table: 'pools',
  columns: [
    { name: 'pool', type: 'hex', value: ({ pool }) => pool },
    { name: 'token_id', type: 'integer', value: ({ id }) => id },
  ],
}

/** Adds the pools of tokens that graduate. A conflict is an error: no other token may have the pool. */
export async function storePools(trx: Transaction<Database>, opened: readonly OpenedPool[]): Promise<void> {
  await writeRows(trx, pools, opened)
}

export async function writeFigures(trx: Transaction<Database>, figures: readonly TokenFigures[]): Promise<void> {
  await saveRows(trx, target, figures, ({ isStored }) => !isStored)
}

function parseFigures(row: StoredFigures): TokenFigures {
  const integer = (name: string) => Number(row[name] ?? 0)
  const big = (name: string) => BigInt((row[name] as string | null) ?? 0)
  const position = (name: string) => {
    const block = row[`${name}_block`]
    return block === null || block === undefined
      ? null
      : { blockNumber: Number(block), logIndex: integer(`${name}_log`) }
  }
  const turnover = (volume: string, trades: number, volumeUsd = '0'): Turnover => ({
    trades,
    volume: big(volume),
    volumeUsd: parseUsd(volumeUsd),
  })
  const [curve, pool, completed, graduated, lastTrade] = [
    position('curve'),
    position('pool'),
    position('completed'),
    position('graduated'),
    position('last_trade'),
  ]
  const rate = typeof row.rate_native === 'string' ? BigInt(row.rate_native) : null
  return {
    id: integer('id'),
    launchpad: String(row.launchpad),
    launchpadKind: row.launchpad_kind as LaunchpadKind,
    isStored: row.token_id !== null,
    created: row.token_id !== null ? { blockNumber: integer('created_block'), logIndex: integer('created_log') } : null,
    supply: big('total_supply'),
    target: big('target_quote'),
    isNative: row.quote_token === zeroAddress,
    decimals: { quote: integer('quote_decimals'), token: integer('decimals') },
    curve: curve && {
      ...curve,
      quote: big('virtual_quote'),
      token: big('virtual_token'),
      realQuote: big('real_quote'),
      realToken: big('real_token'),
      rate,
    },
    pool: pool && { ...pool, quote: big('pool_quote'), token: big('pool_token'), rate },
    poolAddress: (row.pool as string | null) ?? null,
    completed,
    graduated: graduated && { ...graduated, at: (row.graduated_at as number | null) ?? null },
    firstTradeAt: (row.first_trade_at as number | null) ?? null,
    snipersUntil: (row.snipers_until as number | null) ?? null,
    lacksBundlers: row.token_id !== null && row.bundler_balance === null,
    lastTrade: lastTrade && { ...lastTrade, at: integer('last_trade_at') },
    athMarketCapUsd: (row.ath_market_cap_usd as number | null) ?? null,
    trend: { sum: big('trend_sum'), exponent: integer('trend_exponent') },
    sums: {
      total: turnover('volume_total', integer('trades_total')),
      h1: turnover('volume_h1', 0, (row.volume_usd_h1 as string | null) ?? '0'),
      h24: turnover('volume_h24', 0, (row.volume_usd_h24 as string | null) ?? '0'),
      quoteVolumes:
        typeof row.volume_quote_total === 'string'
          ? { total: big('volume_quote_total'), h24: big('volume_quote_h24'), h1: big('volume_quote_h1') }
          : null,
      buysH1: integer('buys_h1'),
      sellsH1: integer('sells_h1'),
      buysH24: integer('buys_h24'),
      sellsH24: integer('sells_h24'),
      protocolFees: big('protocol_fees'),
      creatorFees: big('creator_fees'),
      creatorFeesClaimed: big('creator_fees_claimed'),
      positiveBalances: integer('positive_balances'),
      tradersH24: integer('traders_h24'),
      washVolume: big('wash_volume'),
    },
  }
}

/**
 * Refreshes the holder figures from the balances. The curve, the pool and the burn addresses are no holders; a pool may
 * have received tokens before its graduation. All is joined by token_id, where its rows are in Citus.
 */
export async function refreshHolders(trx: Transaction<Database>, tokens: readonly string[]): Promise<void> {
  if (tokens.length === 0) return
  await sql`
    update token_figures f set
      holder_count = f.positive_balances - h.excluded_holders, top10_balance = h.top10, creator_balance = h.of_creator,
      sniper_balance = h.of_snipers, bundler_balance = h.of_bundlers
    from (
      select k.token_id,
        (select count(*) from balances b
          where b.token_id = k.token_id and b.wallet = any(k.excluded) and b.balance > 0) as excluded_holders,
        coalesce((select sum(top.balance) from (
          select b.balance from balances b
          where b.token_id = k.token_id and b.balance > 0 and b.wallet <> all(k.excluded)
          order by b.balance desc limit 10) top), 0) as top10,
        coalesce((
          select b.balance from balances b
          where b.token_id = k.token_id and b.wallet = k.creator and b.balance > 0), 0) as of_creator,
        coalesce((
          select sum(b.balance) from snipers s join balances b on b.token_id = s.token_id and b.wallet = s.wallet
          where s.token_id = k.token_id and b.wallet <> all(k.excluded)), 0) as of_snipers,
        coalesce((
          select sum(b.balance) from bundlers s join balances b on b.token_id = s.token_id and b.wallet = s.wallet
          where s.token_id = k.token_id and b.wallet <> all(k.excluded)), 0) as of_bundlers
      from (
        select g.token_id, ${columnToBytes('t.creator')} as creator, array[
            ${columnToBytes('t.launchpad')}, coalesce(${columnToBytes('t.pool_manager')}, g.pool, ''), ${bytes(zeroAddress)}, ${bytes(DEAD_ADDRESS)}
          ] as excluded
        from token_figures g join tokens t on t.id = g.token_id
        where g.token_id = any(array(select id from tokens where address = any(${tokens}::text[])))
      ) k
    ) h
    where f.token_id = h.token_id`.execute(trx)
}
