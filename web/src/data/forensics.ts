import { useOperation } from '@slipway/sdk/react'
import { useMemo } from 'react'
import type { Flag } from '../components/flag-badges.tsx'
import { api } from '../lib/api.ts'

/** Least time between two requests that trades cause. */
const REFETCH_MS = 10_000

/** The wallets that bought a token first, with what they still hold. */
export const useFirstBuyers = (token: string) =>
  useOperation(api.tokens.firstBuyers.with(token), {
    rooms: [`token:${token}`],
    refetchMs: REFETCH_MS,
    apply: (data, { type }) => (type === 'trade' || type === 'trade.retracted' ? undefined : data),
  })

/** What the launch says about wallets: empty while it is unknown. */
export function useFlags(token: string): ReadonlyMap<string, readonly Flag[]> {
  const { data } = useFirstBuyers(token)
  return useMemo(() => new Map(data?.items.map(({ wallet, flags }) => [wallet, flags])), [data])
}
