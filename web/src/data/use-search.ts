import { search } from '@slipway/sdk'
import { useDebounced, useOperation } from '@slipway/sdk/react'

/** Tokens and wallets that match what is being typed, after a short pause. */
export function useSearch(text: string) {
  const wanted = useDebounced(text.trim(), 220)
  const { data, error, isFetching } = useOperation(
    search,
    { query: { q: wanted || '-', limit: 8 } },
    { enabled: wanted !== '', keepPrevious: true },
  )
  return { wanted, data: wanted === '' ? undefined : data, error, isFetching }
}
