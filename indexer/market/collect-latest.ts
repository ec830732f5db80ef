import { saleSupply } from '../../chain/curve.ts'
import type { LogPosition } from '../../db/queries/positions.ts'
import { isAfter } from '../engine/batch.ts'
import { getOrCreate } from './deltas.ts'
import type { ChainEvent } from './interpret-blocks.ts'
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
  lastTrade: (LogPosition & { at: number }) | null
  maxPriceUsd: number | null
}

/** Adds the changes of events to those of earlier ones. */
export function collectLatest(events: readonly ChainEvent[], latest: Map<string, Latest>): void {
  for (const event of events) {
    const { at } = event
    if (event.kind === 'transfer' || event.kind === 'creator-fee-claimed' || event.kind === 'metadata-update') continue
    const token = getOrCreate(latest, event.token, makeLatest)
    const position = { blockNumber: at.blockNumber, logIndex: at.logIndex }
    switch (event.kind) {
      case 'create':
        token.created = position
        setCurve(token, {
          ...position,
          quote: event.virtualQuote,
          token: event.virtualToken,
          realQuote: 0n,
          realToken: saleSupply(event.virtualQuote, event.virtualToken, event.targetQuote),
        })
        break
      case 'completed':
        token.completed ??= position
        break
      case 'graduate':
        token.graduated = { ...position, at: at.time, pool: event.pool }
        break
      case 'pool-state':
        setPool(token, { ...position, quote: event.poolQuote, token: event.poolToken })
        if (event.price !== null) setHighest(token, priceInUsd(event.price, at))
        break
      case 'trade': {
        const reserves = { ...position, quote: event.virtualQuote, token: event.virtualToken }
        if (event.venue === 'pool') setPool(token, reserves)
        else {
          const { realQuote, realToken } = event
          setCurve(token, { ...reserves, realQuote: realQuote ?? 0n, realToken: realToken ?? 0n })
        }
        if (isAfter(position, token.lastTrade)) token.lastTrade = { ...position, at: at.time }
        setHighest(token, priceInUsd(event.price, at))
      }
    }
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

function setCurve(token: Latest, reserves: CurveReserves): void {
  if (isAfter(reserves, token.curve)) token.curve = reserves
}

function setPool(token: Latest, reserves: Reserves): void {
  if (isAfter(reserves, token.pool)) token.pool = reserves
}
