import { countOf } from '@slipway/sdk/helpers'
import { useList } from '@slipway/sdk/react'
import { useEffect } from 'react'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { learnNames } from '../../data/names.ts'
import { api } from '../../lib/api.ts'

export function FollowList({ wallet, side }: { wallet: string; side: 'followers' | 'following' }) {
  const query = useList(api.profiles[side].with(wallet, { limit: 50 }))
  const { items } = query
  useEffect(() => learnNames(items), [items])
  return (
    <QueryState query={query} loading={<SkeletonRows count={4} />}>
      {() =>
        items.length === 0 ? (
          <Empty icon="users" title={side === 'followers' ? 'No followers yet' : 'Follows nobody yet'} />
        ) : (
          <>
            <ul>
              {items.map((person) => (
                <li
                  key={person.wallet}
                  className="flex items-center gap-3 border-b border-line/60 px-4 py-2.5 last:border-0"
                >
                  <TokenImage
                    address={person.wallet}
                    symbol={person.username ?? '0x'}
                    imageUrl={person.avatarUrl}
                    className="size-9"
                    shape="round"
                  />
                  <WalletName wallet={person.wallet} username={person.username} className="flex-1 font-semibold" />
                  <span className="text-xs text-muted">{countOf(person.followerCount, 'follower')}</span>
                </li>
              ))}
            </ul>
            <ShowMore list={query} />
          </>
        )
      }
    </QueryState>
  )
}
