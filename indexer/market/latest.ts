import { saleSupply } from '../../chain/curve.ts'
import { isAfter, type Position } from '../engine/batch.ts'
import type { Happening } from './interpret.ts'
import { priceInUsd } from './store-candles.ts'
import { getOrMake } from './sums.ts'

/** Reserves in base units, and the event that left them so. */
export interface Reserves extends Position {
  quote: bigint
  token: bigint
}

export interface CurveReserves extends Reserves {
  realQuote: bigint
  realToken: bigint
}

/** What a batch brought for one token that is not a sum: the latest of some things, the highest of others. */
export interface Latest {
  created: Position | null
  curve: CurveReserves | null
  pool: Reserves | null
  completed: Position | null
  graduated: (Position & { at: number; pool: string }) | null
  lastTrade: (Position & { at: number }) | null
  maxPriceUsd: number | null
}

const NEVER = { block: null, log: null }

export function collectLatest(happenings: readonly Happening[]): Map<string, Latest> {
  const latest = new Map<string, Latest>()
  for (const happening of happenings) {
    const { at } = happening
    if (happening.kind === 'transfer' || happening.kind === 'creator-fee-claimed') continue
    const token = getOrMake(latest, happening.token, makeLatest)
    const position = { block: at.block, log: at.log }
    switch (happening.kind) {
      case 'create':
        token.created = position
        setCurve(token, {
          ...position,
          quote: happening.virtualQuote,
          token: happening.virtualToken,
          realQuote: 0n,
          realToken: saleSupply(happening.virtualQuote, happening.virtualToken, happening.targetQuote),
        })
        break
      case 'completed':
        token.completed ??= position
        break
      case 'graduate':
        token.graduated = { ...position, at: at.time, pool: happening.pool }
        break
      case 'pool-state':
        setPool(token, { ...position, quote: happening.poolQuote, token: happening.poolToken })
        if (happening.price !== null) setHighest(token, priceInUsd(happening.price, at))
        break
      case 'trade': {
        const reserves = { ...position, quote: happening.virtualQuote, token: happening.virtualToken }
        if (happening.venue === 'pool') setPool(token, reserves)
        else {
          const { realQuote, realToken } = happening
          setCurve(token, { ...reserves, realQuote: realQuote ?? 0n, realToken: realToken ?? 0n })
        }
        if (isAfter(position, token.lastTrade ?? NEVER)) token.lastTrade = { ...position, at: at.time }
        setHighest(token, priceInUsd(happening.price, at))
      }
    }
  }
  return latest
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
  if (isAfter(reserves, token.curve ?? NEVER)) token.curve = reserves
}

function setPool(token: Latest, reserves: Reserves): void {
  if (isAfter(reserves, token.pool ?? NEVER)) token.pool = reserves
}
