import { useDebounced, useList, useOperation } from '@slipway/sdk/react'
import { api } from '../lib/api.ts'

const TRENDING = 5

/** Tokens to begin with, before anything is typed. */
export function useTrending(isWanted: boolean) {
  return useList(api.tokens.list.with({ sort: 'trending', limit: TRENDING }), { enabled: isWanted }).items
}

/** Tokens and wallets that match what is being typed, after a short pause. */
export function useSearch(text: string) {
  const wanted = useDebounced(text.trim(), 220)
  const { data, error, isFetching } = useOperation(api.search.with({ q: wanted || '-', limit: 8 }), {
    enabled: wanted !== '',
    keepPrevious: true,
  })
  return { wanted, data: wanted === '' ? undefined : data, error, isFetching }
}
