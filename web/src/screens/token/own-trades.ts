import { countOf, toNumber } from '@slipway/sdk/helpers'
import { useTrades } from '@slipway/sdk/react'
import { useMemo } from 'react'
import type { Candle, Currency, Token } from '../../data/tokens.ts'
import { usePosition } from '../../data/use-position.ts'
import { useSession } from '../../wallet/session.tsx'

/** Trades of the connected wallet in one candle. */
export interface OwnTrades {
  /** Start of the candle in Unix seconds. */
  time: number
  buys: number
  sells: number
}

/** The connected wallet's latest trades, by the candle in which they are; none before the first candle. */
export function useOwnTrades(token: Token, candles: readonly Candle[] | undefined): readonly OwnTrades[] {
  const { wallet } = useSession()
  // Without a wallet, the request that the list of trades sends anyway.
  const { items } = useTrades(token.address, wallet === null ? { limit: 50 } : { limit: 100, wallet })
  return useMemo(() => {
    const marks = new Map<number, OwnTrades>()
    if (wallet === null || !candles) return []
    for (const { trader, timestamp, side, retracted } of items) {
      const at = Date.parse(timestamp) / 1_000
      const candle = candles.findLast(({ time, close }) => close !== null && time <= at)
      if (trader !== wallet || retracted || !candle) continue
      const { buys, sells } = marks.get(candle.time) ?? { buys: 0, sells: 0 }
      const counted = side === 'buy' ? { buys: buys + 1, sells } : { buys, sells: sells + 1 }
      marks.set(candle.time, { time: candle.time, ...counted })
    }
    return [...marks.values()].sort((a, b) => a.time - b.time)
  }, [wallet, candles, items])
}

/** `2 buys, 1 sell`; an empty text without any. */
export function countTrades(trades: readonly OwnTrades[]): string {
  const sum = (side: 'buys' | 'sells') => trades.reduce((total, one) => total + one[side], 0)
  return [[sum('buys'), 'buy'] as const, [sum('sells'), 'sell'] as const]
    .filter(([count]) => count > 0)
    .map(([count, side]) => countOf(count, side))
    .join(', ')
}

/** Average cost of a token that the connected wallet has, in the unit of the chart; null without one. */
export function useEntry(token: Token, currency: Currency): number | null {
  const entry = usePosition(token)?.averageEntry
  if (!entry) return null
  if (currency === 'native' || currency === 'quote') return entry[currency]
  if (entry.usd === null || currency === 'usd') return entry.usd
  return entry.usd * toNumber(token.totalSupply, token.decimals)
}
