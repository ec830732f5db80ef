import type { Body, Schema } from '@slipway/sdk'
import { formatPercent, formatPrice, formatUsd, toNumber } from '@slipway/sdk/helpers'
import { keyOf, useList, useSlipway } from '@slipway/sdk/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../lib/api.ts'
import { useSession } from '../wallet/session.tsx'
import type { Token } from './tokens.ts'

export type Alert = Schema<'Alert'>
export type AlertRequest = Body<'createAlert'>

export const ALERT_WINDOWS = { m5: '5 minutes', h1: '1 hour', h6: '6 hours', h24: '24 hours' } as const

/** Alerts of the signed-in wallet, of one token or all; empty while none is. A notification may say that one has triggered. */
export function useAlerts(token?: string) {
  const { wallet } = useSlipway()
  return useList(api.alerts.list.with({ limit: 100, ...(token && { token }) }), {
    rooms: wallet ? [`wallet:${wallet}`] : [],
    enabled: wallet !== undefined,
    scope: wallet,
    refetchMs: 500,
  })
}

/** Creates and deletes alerts of the signed-in wallet. What calls it shows why one failed. */
export function useAlertChanges() {
  const client = useQueryClient()
  const { ensure } = useSession()
  const onSuccess = async () => {
    const queryKey = keyOf(api.alerts.list)
    // A first request that is under way may have been answered before the change, and would not be repeated.
    await client.cancelQueries({ queryKey })
    await client.invalidateQueries({ queryKey })
  }
  const create = useMutation({
    mutationFn: async (body: AlertRequest) => {
      await ensure()
      return api.alerts.create(body)
    },
    onSuccess,
  })
  const remove = useMutation({
    mutationFn: async (id: string) => {
      await ensure()
      return api.alerts.delete(id)
    },
    onSuccess,
  })
  return { create, remove }
}

/** Whether the price or market capitalisation is beyond the value already: the next trade may trigger such an alert. */
export function isPassed(token: Token, request: AlertRequest): boolean {
  if (request.type !== 'price') return false
  const { metric, direction, value } = request
  const native = token.priceNative === null ? null : Number(token.priceNative)
  const present = {
    priceNative: native,
    priceUsd: token.priceUsd,
    marketCapNative: native === null ? null : native * toNumber(token.totalSupply, token.decimals),
    marketCapUsd: token.marketCapUsd,
  }[metric]
  return present !== null && (direction === 'above' ? present >= value : present <= value)
}

/** Also in `payload.alert` of its notification. */
export type AlertCondition = Pick<Alert, 'metric' | 'window' | 'direction' | 'value'>

/** What triggers an alert about a token, as in `Market cap rises to $100K`. coin: symbol of the native coin. */
export function describeCondition({ metric, window, direction, value }: AlertCondition, coin: string): string {
  if (value === null) return 'Graduates'
  const verb = direction === 'above' ? 'rises' : 'falls'
  if (window !== null) return describeChange(value, direction === 'above', ALERT_WINDOWS[window])
  const isCap = metric === 'marketCapUsd' || metric === 'marketCapNative'
  const isUsd = metric === 'priceUsd' || metric === 'marketCapUsd'
  const amount = isUsd ? (isCap ? formatUsd(value) : `$${formatPrice(value)}`) : `${formatPrice(value)} ${coin}`
  return `${isCap ? 'Market cap' : 'Price'} ${verb} to ${amount}`
}

/** A rise of at least -5 % is a change that is no fall below it. */
function describeChange(percent: number, isAbove: boolean, window: string): string {
  if (isAbove === percent >= 0)
    return `Price ${isAbove ? 'rises' : 'falls'} by ${formatPercent(Math.abs(percent))} in ${window}`
  return `Change in ${window} is ${isAbove ? 'above' : 'below'} ${formatPercent(percent)}`
}
