import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { listTokens } from '../operations.ts'
import { useSlipway } from '../react/provider.ts'
import { keyOf } from '../react/query-key.ts'
import { extendResult, type ListResult, useList } from '../react/use-operation.ts'
import type { Schema } from '../types.ts'
import { subscribeView, type View, type ViewQuery } from '../views/index.ts'

/** How long the socket may take before the tokens are requested. */
const LATE_MS = 1_000
/** Least time between two requests, while there is no view. */
const REFETCH_MS = 5_000
const LIMIT = 20

const named: Record<Extract<View, string>, ViewQuery> = {
  new: { sort: 'newest' },
  graduating: { sort: 'curve', filter: { minProgressPct: 70 } },
  graduated: { sort: 'graduated' },
}

/** The tokens of a live view in order: see subscribeView. Without a socket, the token list is polled. */
export function useView(view: View): ListResult<typeof listTokens> {
  const { live, isLive } = useSlipway()
  const client = useQueryClient()
  const name = JSON.stringify(view)
  const { filter, sort, direction, limit = LIMIT } = typeof view === 'string' ? named[view] : view
  const query = { ...filter, ...(sort && { sort }), ...(direction && { direction }), limit }
  const key = JSON.stringify([...keyOf(listTokens, { query }), 'pages'])

  // The name of the view whose tokens are there.
  const [followed, setFollowed] = useState<string>()
  const isFollowed = isLive && followed === name
  useEffect(() => {
    if (!live) return
    const show = (items: readonly Schema<'Token'>[]) => {
      const page = { items, page: 1, limit, total: items.length, nextCursor: null }
      client.setQueryData(JSON.parse(key), { pages: [page], pageParams: [undefined] } as InfiniteData<unknown>)
    }
    const leave = subscribeView(live, JSON.parse(name) as View, (update) => {
      if (update.type === 'tokens') show(update.tokens)
      setFollowed(update.type === 'tokens' ? name : undefined)
    })
    return () => {
      leave()
      setFollowed(undefined)
    }
  }, [live, client, name, key, limit])

  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    if (isFollowed) return setIsLate(false)
    const timer = setTimeout(() => setIsLate(true), LATE_MS)
    return () => clearTimeout(timer)
  }, [isFollowed])

  const isPolled = isLate && !isFollowed
  const list = useList(
    listTokens,
    { query },
    { rooms: isPolled ? ['tokens', 'trades'] : [], refetchMs: REFETCH_MS, enabled: isPolled },
  )
  return isFollowed ? extendResult(list, { isLive: true }) : list
}
