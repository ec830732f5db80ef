import type { LogPosition } from '../../db/queries/positions.ts'
import { type EventContext, isAfter } from '../engine/batch.ts'
import { getOrCreate } from './deltas.ts'
import type { ChainEvent, OfKind } from './events.ts'
import { type LastTrade, toLastTrade } from './last-trade.ts'
import { priceInUsd } from './store-candles.ts'

/** Reserves in base units, with the position of the event that set them. */
export interface Reserves extends LogPosition {
  quote: bigint
  token: bigint
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
  graduated: (LogPosition & { at: number; pool: string }) | null
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
      const { virtualQuote, virtualToken, saleSupply } = event
      token.created = toPosition(at)
      setCurve(token, at, virtualQuote, virtualToken, 0n, saleSupply)
      break
    }
    case 'completed':
      token.completed ??= toPosition(at)
      break
    case 'graduate':
      token.graduated = { ...toPosition(at), at: at.time, pool: event.pool }
      break
    case 'pool-state':
      setPool(token, at, event.poolQuote, event.poolToken)
      if (event.price !== null) setHighest(token, priceInUsd(event.price, at))
      break
    case 'trade':
      if (event.venue === 'pool') setPool(token, at, event.virtualQuote, event.virtualToken)
      else setCurve(token, at, event.virtualQuote, event.virtualToken, event.realQuote ?? 0n, event.realToken ?? 0n)
      if (isAfter(at, token.lastTrade)) token.lastTrade = toLastTrade(token.lastTrade, at)
      setHighest(token, priceInUsd(event.price, at))
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
function setCurve(
  token: Latest,
  at: EventContext,
  quote: bigint,
  ofToken: bigint,
  realQuote: bigint,
  realToken: bigint,
): void {
  if (!isAfter(at, token.curve)) return
  token.curve ??= { blockNumber: 0, logIndex: 0, quote: 0n, token: 0n, realQuote: 0n, realToken: 0n }
  setReserves(token.curve, at, quote, ofToken)
  token.curve.realQuote = realQuote
  token.curve.realToken = realToken
}

function setPool(token: Latest, at: EventContext, quote: bigint, ofToken: bigint): void {
  if (!isAfter(at, token.pool)) return
  token.pool ??= { blockNumber: 0, logIndex: 0, quote: 0n, token: 0n }
  setReserves(token.pool, at, quote, ofToken)
}

function setReserves(to: Reserves, at: EventContext, quote: bigint, ofToken: bigint): void {
  to.blockNumber = at.blockNumber
  to.logIndex = at.logIndex
  to.quote = quote
  to.token = ofToken
}
