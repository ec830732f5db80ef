import { useDebounced, useOperation } from '@slipway/sdk/react'
import { api } from '../lib/api.ts'

/** Tokens and wallets that match what is being typed, after a short pause. */
export function useSearch(text: string) {
  const wanted = useDebounced(text.trim(), 220)
  const { data, error, isFetching } = useOperation(api.search.with({ q: wanted || '-', limit: 8 }), {
    enabled: wanted !== '',
    keepPrevious: true,
  })
  return { wanted, data: wanted === '' ? undefined : data, error, isFetching }
}
