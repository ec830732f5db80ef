import { countOf, formatCount } from '@slipway/sdk/helpers'
import { keyOf } from '@slipway/sdk/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { SHOWS_FAILURES } from '../../data/query-client.ts'
import type { Token } from '../../data/tokens.ts'
import { api } from '../../lib/api.ts'
import { useSession } from '../../wallet/session.tsx'

export function LikeButton({ token }: { token: Token }) {
  const isLiked = token.likedByMe === true
  const mark = useMark(token, async (address) => {
    const { likeCount } = await (isLiked ? api.tokens.unlike : api.tokens.like)(address)
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
  const mark = useMark(token, async (address) => {
    const { watcherCount } = await (isWatched ? api.watchlists.unwatch : api.watchlists.watch)(address)
    void client.invalidateQueries({ queryKey: keyOf(api.watchlists.list) })
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
function useMark(token: Token, write: (address: string) => Promise<Partial<Token>>) {
  const client = useQueryClient()
  const { wallet, ensure, setConnecting } = useSession()
  const { address } = token
  const { mutate, isPending } = useMutation({
    meta: SHOWS_FAILURES,
    mutationFn: async () => {
      await ensure()
      return write(address)
    },
    onSuccess: (changed) =>
      client.setQueryData<Token>(keyOf(api.tokens.get.with(address)), (known) =>
        known ? { ...known, ...changed } : known,
      ),
  })
  return { isPending, change: () => (wallet ? mutate() : setConnecting(true)) }
}
