import type { LogPosition } from '../../db/queries/positions.ts'
import { getOrCreate } from '../../lib/collections/get-or-create.ts'
import { type EventContext, isAfter } from '../engine/batch.ts'
import type { ChainEvent, OfKind } from './events.ts'
import { type LastTrade, toLastTrade } from './last-trade.ts'

/** Reserves in base units, with the position of the event that set them. */
export interface Reserves extends LogPosition {
  quote: bigint
  token: bigint
  /** Native coin for one whole unit of the quote asset: see Prices. */
  rate: bigint | null
}

export interface CurveReserves extends Reserves {
  realQuote: bigint
  realToken: bigint
}

/** The changes of one token in a transaction that are not sums: latest values, and the highest price. */
export interface Latest {
  created: LogPosition | null
  curve: CurveReserves | null
  pool: Reserves | null
  completed: LogPosition | null
  /** The graduation, at a time, or the launch in a pool. */
  graduated: (LogPosition & { at: number | null; pool: string; poolType: string | null }) | null
  lastTrade: LastTrade | null
  maxPriceUsd: number | null
}

/** Adds the changes of events to those of earlier ones. */
export function collectLatest(events: readonly ChainEvent[], latest: Map<string, Latest>): void {
  for (const event of events) collectFrom(event, latest)
}

/** The events that change what a token shows; the others change sums only, or rows of their own. */
const kinds = ['create', 'completed', 'graduate', 'pool-state', 'trade'] as const
const isOfLatest = (event: ChainEvent): event is OfKind<(typeof kinds)[number]> =>
  (kinds as readonly string[]).includes(event.kind)

function collectFrom(event: ChainEvent, latest: Map<string, Latest>): void {
  if (!isOfLatest(event)) return
  const { at } = event
  const token = getOrCreate(latest, event.token, makeLatest)
  switch (event.kind) {
    case 'create': {
      const { firstPrice, curve, pool } = event
      token.created = toPosition(at)
      setCurve(token, at, firstPrice.quote, firstPrice.token, event.rateNative, 0n, curve?.saleSupply ?? 0n)
      if (pool !== null) token.graduated = { ...toPosition(at), at: null, pool, poolType: null }
      break
    }
    case 'completed':
      token.completed ??= toPosition(at)
      break
    case 'graduate':
      token.graduated = { ...toPosition(at), at: at.time, pool: event.pool, poolType: event.poolType }
      break
    case 'pool-state':
      setPool(token, at, event.poolQuote, event.poolToken, event.rateNative)
      setHighest(token, event.priceUsd)
      break
    case 'trade':
      if (event.venue === 'pool') setPool(token, at, event.virtualQuote, event.virtualToken, event.rateNative)
      else setTradedCurve(token, event)
      if (isAfter(at, token.lastTrade)) token.lastTrade = toLastTrade(token.lastTrade, at)
      setHighest(token, event.priceUsd)
  }
}

function makeLatest(): Latest {
  return {
    created: null,
    curve: null,
    pool: null,
    completed: null,
    graduated: null,
    lastTrade: null,
    maxPriceUsd: null,
  }
}

function setHighest(token: Latest, priceUsd: number | null): void {
  if (priceUsd !== null) token.maxPriceUsd = Math.max(token.maxPriceUsd ?? 0, priceUsd)
}

const toPosition = ({ blockNumber, logIndex }: EventContext): LogPosition => ({ blockNumber, logIndex })

/*
 * Nearly every trade sets these, so the objects are filled again instead of replaced.
 */
function setTradedCurve(token: Latest, trade: OfKind<'trade'>): void {
  const { at, virtualQuote, virtualToken, rateNative, realQuote, realToken } = trade
  setCurve(token, at, virtualQuote, virtualToken, rateNative, realQuote ?? 0n, realToken ?? 0n)
}

function setCurve(
  token: Latest,
  at: EventContext,
  quote: bigint,
  ofToken: bigint,
  rate: bigint | null,
  realQuote: bigint,
  realToken: bigint,
): void {
  if (!isAfter(at, token.curve)) return
  token.curve ??= { blockNumber: 0, logIndex: 0, quote: 0n, token: 0n, rate: null, realQuote: 0n, realToken: 0n }
  setReserves(token.curve, at, quote, ofToken, rate)
  token.curve.realQuote = realQuote
  token.curve.realToken = realToken
}

function setPool(token: Latest, at: EventContext, quote: bigint, ofToken: bigint, rate: bigint | null): void {
  if (!isAfter(at, token.pool)) return
  token.pool ??= { blockNumber: 0, logIndex: 0, quote: 0n, token: 0n, rate: null }
  setReserves(token.pool, at, quote, ofToken, rate)
}

function setReserves(to: Reserves, at: EventContext, quote: bigint, ofToken: bigint, rate: bigint | null): void {
  to.blockNumber = at.blockNumber
  to.logIndex = at.logIndex
  to.quote = quote
  to.token = ofToken
  to.rate = rate
}
