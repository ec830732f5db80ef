import { toNumber } from '@slipway/sdk/helpers'
import { useMemo } from 'react'
import { useAlerts } from '../../data/alerts.ts'
import type { Currency, Token } from '../../data/tokens.ts'
import type { AlertStart } from './alert-dialog.tsx'

/** The prices that the connected wallet's waiting alerts are about, in the unit of the chart. */
export function useAlertPrices({ address, totalSupply, decimals }: Token, currency: Currency): readonly number[] {
  const { items } = useAlerts(address)
  return useMemo(() => {
    const supply = toNumber(totalSupply, decimals)
    const isCap = currency === 'marketCapUsd'
    const isUsd = isCap || currency === 'usd'
    return items.flatMap(({ metric, window, value, triggeredAt }) => {
      if (value === null || window !== null || triggeredAt !== null) return []
      if (metric === (isUsd ? 'priceUsd' : 'priceNative')) return [isCap ? value * supply : value]
      if (metric === (isUsd ? 'marketCapUsd' : 'marketCapNative')) return [isCap ? value : value / supply]
      return []
    })
  }, [items, totalSupply, decimals, currency])
}

/** An alert at a price that was picked in the chart, whose last one is `last`; null if the token has no price. */
export function toAlertStart(token: Token, currency: Currency, picked: number, last: number): AlertStart | null {
  const isCap = currency === 'marketCapUsd'
  const present = isCap ? token.marketCapUsd : (token.priceUsd ?? token.priceNative)
  if (present === null) return null
  const isAbove = picked >= last
  const kind = isCap ? (isAbove ? 'capAbove' : 'capBelow') : isAbove ? 'priceAbove' : 'priceBelow'
  return { kind, value: (Number(present) * picked) / last }
}
