import { useDebounced, useList, useOperation } from '@slipway/sdk/react'
import { api } from '../lib/api.ts'

const TRENDING = 5

/** Tokens to begin with, before anything is typed. */
export function useTrending(isWanted: boolean) {
  return useList(api.tokens.list.with({ sort: 'trending', limit: TRENDING }), { enabled: isWanted }).items
}

const queryOf = (q: string) => ({ q, limit: 8 })

/** Tokens and wallets that match a text, at once. */
export const search = (text: string) => api.search(queryOf(text))

/**
 * Tokens and wallets that match what is being typed, after a short pause. `isOutdated`: they match a former text. `failure`: why
 * there are none.
 */
export function useSearch(text: string) {
  const wanted = useDebounced(text.trim(), 220)
  const { data, error, isFetching, isPlaceholderData, refetch } = useOperation(
    api.search.with(queryOf(wanted || '-')),
    {
      enabled: wanted !== '',
      keepPrevious: true,
    },
  )
  const isOutdated = wanted !== text.trim() || isPlaceholderData
  const failure = wanted === '' ? null : error
  const known = wanted === '' || (failure && isPlaceholderData) ? undefined : data
  return { wanted, data: known, failure, refetch, isFetching, isOutdated }
}
