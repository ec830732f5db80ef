import { useMemo, useState } from 'react'
import {
  getStatistics,
  getToken,
  getTokenChart,
  listFeed,
  listTokenComments,
  listTokenHolders,
  listTokens,
  listTokenTrades,
  quoteTrade,
} from '../operations.ts'
import type { Room } from '../rooms.ts'
import type { RoomMessage } from '../socket.ts'
import type { Options, Schema } from '../types.ts'
import { type AmountLike, toBigInt } from '../values.ts'
import { useDebounced } from './use-debounced.ts'
import { useLive } from './use-live.ts'
import {
  extendResult,
  type ListResult,
  type OperationResult,
  type Pages,
  useList,
  useOperation,
} from './use-operation.ts'
import { withCandle } from './with-candle.ts'
import { withTokenEvent } from './with-token-event.ts'

/** Least time between two requests that trades cause. */
const MARKET_REFETCH_MS = 5_000
/** Pause in the typing of an amount before it is quoted. */
const TYPING_MS = 250
/** Items of a page, if the query names no number. */
const DEFAULT_LIMIT = 20

const roomOf = (address: string) => `token:${address.toLowerCase()}` as const

/** The token list, requested again after launches and trades. */
export function useTokens(query?: Options<'listTokens'>['query']): ListResult<typeof listTokens> {
  return useList(listTokens, query && { query }, {
    rooms: ['tokens', 'trades'],
    refetchMs: MARKET_REFETCH_MS,
    keepPrevious: true,
  })
}

/** A token, kept current by its events. */
export function useToken(address: string): OperationResult<Schema<'Token'>> {
  return useOperation(
    getToken,
    { path: { address } },
    {
      rooms: [roomOf(address)],
      refetchMs: MARKET_REFETCH_MS,
      apply: withTokenEvent,
    },
  )
}

export type ChartOptions = NonNullable<Options<'getTokenChart'>['query']>

/**
 * Candles of a token. In native coin each trade changes them at once; in US dollars, and after a candle without a trade, they are
 * requested again.
 */
export function useChart(address: string, query: ChartOptions = {}): OperationResult<Schema<'Chart'>> {
  return useOperation(
    getTokenChart,
    { path: { address }, query },
    {
      rooms: [roomOf(address)],
      keepPrevious: ({ token }) => token === address.toLowerCase(),
      apply: (chart, message) => {
        // The candle of a retracted trade may be gone.
        if (message.type !== 'candle') return message.type === 'trade.retracted' ? undefined : chart
        const { currency = 'native', to } = query
        const candle = message.data.candles[chart.interval as keyof typeof message.data.candles]
        // Candles below a minute are not sent.
        return currency !== 'native' || to !== undefined || !candle ? undefined : withCandle(chart, candle)
      },
    },
  )
}

/** A trade in a list; `retracted` if a reorg undid it. */
export type LiveTrade = Schema<'Trade'> & { retracted: boolean }

/** Trades of a token, newest first. A trade that a reorg undid stays in `items` with `retracted`, unless it comes back. */
export function useTrades(
  address: string,
  query?: Options<'listTokenTrades'>['query'],
): Omit<ListResult<typeof listTokenTrades>, 'items'> & { items: LiveTrade[] } {
  const [retracted, setRetracted] = useState<readonly Schema<'Trade'>[]>([])
  const list = useList(
    listTokenTrades,
    { path: { address }, ...(query && { query }) },
    {
      rooms: [roomOf(address)],
      apply: (data, message) =>
        message.type === 'trade' && !meets(message.data, query) ? data : applyTrade(data, message, query?.limit),
    },
  )
  const { items } = list
  useLive(roomOf(address), (message) => {
    if (message.type === 'trade') setRetracted((all) => without(all, message.data.id))
    if (message.type !== 'trade.retracted') return
    const { id } = message.data
    const trade = items.find((one) => one.id === id)
    if (trade) setRetracted((all) => [...without(all, id), trade])
  })
  const shown = useMemo(() => {
    const ofToken = retracted.filter(({ token }) => token === address.toLowerCase())
    const gone = new Set(ofToken.map(({ id }) => id))
    const current = items.filter(({ id }) => !gone.has(id)).map((trade) => ({ ...trade, retracted: false }))
    if (gone.size === 0) return current
    return [...current, ...ofToken.map((trade) => ({ ...trade, retracted: true }))].sort(newestFirst)
  }, [items, retracted, address])
  return extendResult(list, { items: shown })
}

/** Whether the list has a trade: the conditions of the service. */
function meets(trade: Schema<'Trade'>, query: Options<'listTokenTrades'>['query'] = {}): boolean {
  const { wallet, side, minQuote, maxQuote, from, to } = query
  const [amount, time] = [BigInt(trade.quoteAmount), Math.floor(Date.parse(trade.timestamp) / 1_000)]
  return (
    (wallet === undefined || trade.trader === wallet.toLowerCase()) &&
    (side === undefined || trade.side === side) &&
    (minQuote === undefined || amount >= BigInt(minQuote)) &&
    (maxQuote === undefined || amount <= BigInt(maxQuote)) &&
    (from === undefined || time >= from) &&
    (to === undefined || time <= to)
  )
}

const newestFirst = (a: Schema<'Trade'>, b: Schema<'Trade'>): number =>
  b.blockNumber - a.blockNumber || b.logIndex - a.logIndex

const without = (trades: readonly Schema<'Trade'>[], id: string): Schema<'Trade'>[] =>
  trades.filter((trade) => trade.id !== id)

type TradePages = Pages<typeof listTokenTrades>

/**
 * The list after an event. It is requested again before its first page is twice as long as it was: a shorter page would not fit the
 * cursor of the next one.
 */
function applyTrade(data: TradePages, message: RoomMessage<Room>, limit = DEFAULT_LIMIT): TradePages | undefined {
  if (message.type === 'trade') {
    const { data: trade } = message
    const changed = changeFirstPage(data, (items) => [trade, ...without(items, trade.id)])
    return (changed.pages[0]?.items.length ?? 0) < 2 * limit ? changed : undefined
  }
  if (message.type !== 'trade.retracted') return data
  const { id } = message.data
  return { ...data, pages: data.pages.map((page) => ({ ...page, items: without(page.items, id) })) }
}

function changeFirstPage(data: TradePages, change: (items: Schema<'Trade'>[]) => Schema<'Trade'>[]): TradePages {
  const [first, ...others] = data.pages
  return first ? { ...data, pages: [{ ...first, items: change(first.items) }, ...others] } : data
}

/** Holders of a token, requested again after trades. */
export function useHolders(address: string): ListResult<typeof listTokenHolders> {
  return useList(
    listTokenHolders,
    { path: { address } },
    {
      rooms: [roomOf(address)],
      refetchMs: MARKET_REFETCH_MS,
      apply: (data, { type }) => (type === 'trade' || type === 'trade.retracted' ? undefined : data),
    },
  )
}

/** Comments on a token, requested again after a comment was posted or removed. */
export function useComments(
  address: string,
  query?: Options<'listTokenComments'>['query'],
): ListResult<typeof listTokenComments> {
  return useList(
    listTokenComments,
    { path: { address }, ...(query && { query }) },
    {
      rooms: [roomOf(address)],
      refetchMs: 500,
      apply: (data, { type }) => (type === 'comment' || type === 'comment.removed' ? undefined : data),
    },
  )
}

/** Launches, graduations, trades and comments of all tokens. */
export function useFeed(query?: Options<'listFeed'>['query']): ListResult<typeof listFeed> {
  return useList(listFeed, query && { query }, { rooms: ['feed'], refetchMs: MARKET_REFETCH_MS })
}

/** Statistics of the platform. */
export function useStatistics(): OperationResult<Schema<'Statistics'>> {
  return useOperation(getStatistics, undefined, {
    rooms: ['stats'],
    apply: (data, message) => (message.type === 'stats' ? message.data : data),
  })
}

export interface QuoteOptions {
  token: string
  side: 'buy' | 'sell'
  /** Base units; no quote is requested for an undefined or zero amount. */
  amount: AmountLike | undefined
  slippageBps?: number
  recipient?: string
}

/** The quote of a trade, requested again after trades of the token. It waits for a pause in typing. */
export function useQuote(options: QuoteOptions): OperationResult<Schema<'Quote'>> {
  const { token, side, slippageBps, recipient } = options
  const amount = useDebounced(options.amount === undefined ? '0' : toBigInt(options.amount).toString(), TYPING_MS)
  const query = { side, amount, ...(slippageBps !== undefined && { slippageBps }), ...(recipient && { recipient }) }
  return useOperation(
    quoteTrade,
    { path: { address: token }, query },
    {
      rooms: [roomOf(token)],
      enabled: amount !== '0',
      keepPrevious: (quote) => amount !== '0' && quote.token === token.toLowerCase() && quote.side === side,
      refetchMs: MARKET_REFETCH_MS,
      apply: (quote, { type }) => (type === 'trade' || type === 'trade.retracted' ? undefined : quote),
    },
  )
}
