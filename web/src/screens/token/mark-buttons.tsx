import { getToken, likeToken, listWatchedTokens, unlikeToken, unwatchToken, watchToken } from '@slipway/sdk'
import { keyOf } from '@slipway/sdk/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Token } from '../../data/tokens.ts'
import { countOf, formatCount } from '../../lib/amounts.ts'
import { api } from '../../lib/api.ts'
import { useSession } from '../../wallet/session.tsx'

export function LikeButton({ token }: { token: Token }) {
  const isLiked = token.likedByMe === true
  const mark = useMark(token, async (path) => {
    const { likeCount } = await (isLiked ? unlikeToken : likeToken)(api, { path })
    return { likeCount, likedByMe: !isLiked }
  })
  return (
    <Button
      aria-pressed={isLiked}
      aria-label={`${isLiked ? 'Unlike' : 'Like'} ${token.symbol}, ${countOf(token.likeCount, 'like')}`}
      disabled={mark.isPending}
      onClick={mark.change}
      className={isLiked ? 'text-down' : ''}
    >
      <Icon name="heart" className={`size-4 ${isLiked ? 'fill-current' : ''}`} />
      {formatCount(token.likeCount)}
    </Button>
  )
}

export function WatchButton({ token }: { token: Token }) {
  const client = useQueryClient()
  const isWatched = token.watchedByMe === true
  const mark = useMark(token, async ({ address }) => {
    const { watcherCount } = await (isWatched ? unwatchToken : watchToken)(api, { path: { token: address } })
    void client.invalidateQueries({ queryKey: keyOf(listWatchedTokens) })
    return { watcherCount, watchedByMe: !isWatched }
  })
  return (
    <Button
      aria-pressed={isWatched}
      aria-label={`${isWatched ? 'Unwatch' : 'Watch'} ${token.symbol}, ${countOf(token.watcherCount, 'watcher')}`}
      disabled={mark.isPending}
      onClick={mark.change}
      className={isWatched ? 'text-accent' : ''}
    >
      <Icon name="star" className={`size-4 ${isWatched ? 'fill-current' : ''}`} />
      {formatCount(token.watcherCount)}
    </Button>
  )
}

/** A change of what a token is to the signed-in wallet, which `write` makes and returns. Without a wallet, one is connected. */
function useMark(token: Token, write: (path: { address: string }) => Promise<Partial<Token>>) {
  const client = useQueryClient()
  const { wallet, ensure, setConnecting } = useSession()
  const path = { address: token.address }
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      await ensure()
      return write(path)
    },
    onSuccess: (changed) =>
      client.setQueryData<Token>(keyOf(getToken, { path }), (known) => (known ? { ...known, ...changed } : known)),
  })
  return { isPending, change: () => (wallet ? mutate() : setConnecting(true)) }
}
