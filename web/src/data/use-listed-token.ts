import { keyOf } from '@slipway/sdk/react'
import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../lib/api.ts'
import type { Token } from './tokens.ts'

/** A token as a loaded list has it, so that its page is there at once. */
export function useListedToken(address: string): Token | undefined {
  const client = useQueryClient()
  return useMemo(
    () =>
      client
        .getQueriesData<InfiniteData<{ items: Token[] }>>({ queryKey: keyOf(api.tokens.list) })
        .flatMap(([, data]) => data?.pages.flatMap(({ items }) => items) ?? [])
        .find((token) => token.address === address),
    [client, address],
  )
}
