import type { Transaction } from 'kysely'
import { formatUsd } from '../../chain/amounts.ts'
import { listChartEnds } from '../../db/queries/candles.ts'
import type { NewEvent } from '../../db/queries/outbox.ts'
import { getRaiseFigures } from '../../db/queries/raises/raises.ts'
import { getStakingFigures } from '../../db/queries/staking/staking-pools.ts'
import { getStatistics } from '../../db/queries/statistics/statistics.ts'
import { findTokens, type TokenRow } from '../../db/queries/tokens.ts'
import type { Database } from '../../db/schema.ts'
import { channels } from '../../records/channels.ts'
import { toEvent, toTokenRecord, toTokenUpdate } from '../../records/events.ts'
import { nativeQuote, toQuote } from '../../records/quote.ts'
import { toStatistics } from '../../records/statistics/to-statistics.ts'
import { toCurrentCandles } from '../../records/to-current-candles.ts'
import { toTrade } from '../../records/to-trade.ts'
import type { LiveEvents, ModuleUpdate } from '../engine/module.ts'
import { type ChainEvent, ofKind, type TradeEvent } from './events.ts'
import { DEFAULT_DECIMALS } from './registry.ts'
import { isPriced, RESOLUTIONS } from './store-candles.ts'

/*
 * Builds live events, kind by kind, with the mappers of the API. Trades are built from the events that were written;
 * tokens and candles, which also depend on other rows, are read once for the whole update. Events of a hidden token go
 * to its own channel only.
 */

/** An update with the rows of the tokens concerned, unless their launch is unknown. */
interface MarketUpdate extends ModuleUpdate<ChainEvent> {
  tokens: ReadonlyMap<string, TokenRow>
}

export async function buildLiveEvents(
  trx: Transaction<Database>,
  changes: ModuleUpdate<ChainEvent>,
): Promise<LiveEvents> {
  const touched = new Set([...changes.events, ...changes.undone].map(({ token }) => token))
  const rows = await findTokens(trx, [...touched])
  const update = { ...changes, tokens: new Map(rows.map((row) => [row.address, row])) }
  return {
    // States (candle, token.updated, stats) are sent again instead of being retracted.
    retractions: [...retractTrades(update), ...retractTokens(update, 'graduate'), ...retractTokens(update, 'create')],
    events: [
      ...buildTokenEvents(update, 'create'),
      ...buildTradeEvents(update),
      ...buildTokenEvents(update, 'graduate'),
      ...(await buildCandleEvents(trx, update)),
      // One for each token with any event, including transfers and undone ones.
      ...rows.map((row) => toTokenUpdate(row, update.chainId)),
    ],
  }
}

/** The token's own channel, and the others unless it is hidden. */
const around = (token: string, { tokens }: MarketUpdate, ...others: string[]) =>
  tokens.get(token)?.hidden ? [channels.token(token)] : [...others, channels.token(token)]

function retractTokens(update: MarketUpdate, kind: 'create' | 'graduate'): NewEvent[] {
  const [type, into] =
    kind === 'create'
      ? (['token.created.retracted', () => [channels.tokens, channels.feed]] as const)
      : ([
          'token.graduated.retracted',
          (token: string) => around(token, update, channels.tokens, channels.feed),
        ] as const)
  return ofKind(update.undone, kind).map(({ token, at }) =>
    toEvent(type, into(token), {
      token,
      blockNumber: at.blockNumber,
      txHash: at.txHash,
      logIndex: at.logIndex,
    }),
  )
}

function retractTrades(update: MarketUpdate): NewEvent[] {
  return ofKind(update.undone, 'trade').map(({ token, trader, side, at }) =>
    toEvent('trade.retracted', around(token, update, channels.trades, channels.feed), {
      id: `${at.txHash}-${at.logIndex}`,
      token,
      trader,
      side,
      blockNumber: at.blockNumber,
      txHash: at.txHash,
      logIndex: at.logIndex,
    }),
  )
}

function buildTokenEvents(update: MarketUpdate, kind: 'create' | 'graduate'): NewEvent[] {
  return ofKind(update.events, kind).flatMap(({ token }) => {
    const row = update.tokens.get(token)
    if (!row) return []
    if (kind === 'graduate') {
      const into = around(token, update, channels.tokens, channels.feed)
      return [toEvent('token.graduated', into, toTokenRecord(row, update.chainId))]
    }
    return row.hidden
      ? []
      : [toEvent('token.created', [channels.tokens, channels.feed], toTokenRecord(row, update.chainId))]
  })
}

function buildTradeEvents(update: MarketUpdate): NewEvent[] {
  return ofKind(update.events, 'trade').map((trade) =>
    toEvent('trade', around(trade.token, update, channels.trades, channels.feed), toTradeRecord(trade, update)),
  )
}

function toTradeRecord(trade: TradeEvent, { finalized, nativeSymbol, tokens }: MarketUpdate) {
  const { at, valueUsd } = trade
  return toTrade({
    block_number: at.blockNumber,
    log_index: at.logIndex,
    block_time: at.time,
    tx_hash: at.txHash,
    confirmed: at.blockNumber <= finalized,
    token: trade.token,
    trader: trade.trader,
    recipient: trade.recipient,
    side: trade.side,
    venue: trade.venue,
    token_amount: trade.tokenAmount.toString(),
    quote_amount: trade.quoteAmount.toString(),
    protocol_fee: trade.protocolFee?.toString() ?? null,
    creator_fee: trade.creatorFee?.toString() ?? null,
    virtual_quote: trade.virtualQuote.toString(),
    virtual_token: trade.virtualToken.toString(),
    price_usd: trade.priceUsd,
    value_usd: valueUsd === null ? null : formatUsd(valueUsd),
    native_symbol: nativeSymbol,
    quote: tokens.get(trade.token)?.quote ?? null,
    rate_native: trade.rateNative?.toString() ?? null,
    decimals: tokens.get(trade.token)?.decimals ?? DEFAULT_DECIMALS,
  })
}

/** One event for each token, with the last candles of its chart. */
async function buildCandleEvents(trx: Transaction<Database>, update: MarketUpdate): Promise<NewEvent[]> {
  const priced = [...update.undone, ...update.events].filter(isPriced)
  const tokens = new Set(priced.map(({ token }) => token))
  if (tokens.size === 0) return []
  const quoteIn = (token: string) => {
    const row = update.tokens.get(token)
    return row ? toQuote(row) : nativeQuote(update.nativeSymbol)
  }
  const ends = await listChartEnds(trx, { tokens: [...tokens], resolutions: RESOLUTIONS })
  return [...Map.groupBy(ends, ({ token }) => token)].map(([token, some]) =>
    toEvent('candle', [channels.token(token)], { token, quote: quoteIn(token), candles: toCurrentCandles(some) }),
  )
}

/** The statistics of the platform, which every event may change. */
export async function buildStatistics(trx: Transaction<Database>): Promise<NewEvent[]> {
  const statistics = toStatistics(await getStatistics(trx), await getStakingFigures(trx), await getRaiseFigures(trx))
  return [toEvent('stats', [channels.stats], statistics)]
}
