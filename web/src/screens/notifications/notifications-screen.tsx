import { countOf, formatAmount } from '@slipway/sdk/helpers'
import { useNotifications } from '@slipway/sdk/react'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Button } from '../../components/button.tsx'
import { ConnectPrompt } from '../../components/connect-prompt.tsx'
import { Age } from '../../components/figures.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { type AlertCondition, describeCondition } from '../../data/alerts.ts'
import { useCoin } from '../../data/config.tsx'
import { learnNames } from '../../data/names.ts'
import { useTitle } from '../../lib/use-title.ts'
import { useSession } from '../../wallet/session.tsx'
import {
  actorsOf,
  groupNotifications,
  type Notification,
  type NotificationGroup,
  sumTrades,
} from './group-notifications.ts'

const texts: Record<Notification['type'], string> = {
  comment: 'commented on your token',
  reply: 'replied to your comment',
  comment_like: 'liked your comment',
  token_like: 'liked your token',
  follow: 'follows you',
  trade_on_my_token: 'traded your token',
  followed_creator_launched: 'launched a token',
  graduated: 'A token has graduated',
  price_alert: 'An alert has triggered',
  graduation_alert: 'A token has graduated',
  trade_alert: 'traded',
  reward_funded: 'A staking pool was funded',
  raise_opened: 'A raise has opened',
  raise_finalized: 'A raise was finalized',
  raise_failed: 'A raise has failed: you can take your refund',
  raise_cancelled: 'A raise was cancelled: you can take your refund',
  raise_dissolved: 'A raise was dissolved: you can take your refund',
  raise_proposal_opened: 'A proposal is open for your vote',
  raise_proposal_passed:
    'A release that you did not vote for has passed: you can leave with your share until it is executed',
  raise_proposal_executed: 'A proposal was executed',
  ambassador_approved: 'Your ambassador application was approved',
  ambassador_rejected: 'Your ambassador application was declined',
}

export function NotificationsScreen() {
  useTitle('Notifications')
  const { isSignedIn } = useSession()
  const query = useNotifications({ limit: 50 })
  const { items, unreadCount, markRead } = query
  useEffect(() => learnNames(items.map(({ actor }) => actor)), [items])
  if (!isSignedIn) return <ConnectPrompt purpose="Notifications belong to a wallet." />
  return (
    <div className="mx-auto max-w-3xl">
      <PageTitle title="Notifications">
        {unreadCount > 0 && (
          <Button size="sm" onClick={() => void markRead()}>
            Mark all as read
          </Button>
        )}
      </PageTitle>
      <section className="panel" aria-label="Notifications">
        <QueryState query={query} loading={<SkeletonRows count={6} />}>
          {() =>
            items.length === 0 ? (
              <Empty icon="bell" title="Nothing yet">
                Comments, likes, followers and trades of your tokens appear here.
              </Empty>
            ) : (
              <ul>
                {groupNotifications(items).map((group) => (
                  // The oldest of a group is not the newest of another.
                  <Item key={group.all.at(-1)?.id} group={group} />
                ))}
              </ul>
            )
          }
        </QueryState>
        <ShowMore list={query} />
      </section>
    </div>
  )
}

function Item({ group }: { group: NotificationGroup }) {
  const { newest } = group
  const { subject, token, type, payload, readAt } = newest
  const { symbol: coin } = useCoin()
  const [actor, ...others] = actorsOf(group)
  return (
    <li
      className={`flex items-start gap-3 border-b border-line/60 px-4 py-3 last:border-0 ${readAt ? '' : 'bg-accent-soft/40'}`}
    >
      {token ? (
        <TokenImage {...token} className="size-9" />
      ) : (
        <TokenImage
          address={actor?.wallet ?? `0x${'0'.repeat(40)}`}
          symbol={actor?.username ?? '•'}
          imageUrl={actor?.avatarUrl ?? null}
          className="size-9"
          shape="round"
        />
      )}
      <div className="min-w-0 flex-1">
        <p>
          {actor && <WalletName wallet={actor.wallet} username={actor.username} className="font-semibold" />}{' '}
          {others.length > 0 && `and ${countOf(others.length, 'other')} `}
          {type === 'price_alert' ? describeCondition(payload.alert as AlertCondition, coin) : texts[type]}
          {token && (
            <>
              {': '}
              <Link
                to="/token/$address"
                params={{ address: token.address }}
                className="font-semibold underline-offset-2 hover:underline"
              >
                {token.name} ({token.symbol})
              </Link>
            </>
          )}
          {type.startsWith('raise_') && (
            <>
              {' '}
              <Link to="/raises/$id" params={{ id: subject }} className="underline">
                See the raise
              </Link>
            </>
          )}
        </p>
        <TradeSums group={group} />
        <Age iso={newest.createdAt} className="text-xs text-faint" />
        {!readAt && <span className="ml-2 text-2xs font-semibold text-accent-ink">New</span>}
      </div>
    </li>
  )
}

/** What was bought and sold: `3 buys of 1.2M CAT for 0.5 ETH`. */
function TradeSums({ group }: { group: NotificationGroup }) {
  const coin = useCoin()
  const symbol = group.newest.token?.symbol ?? ''
  const sums = sumTrades(group)
  if (sums.length === 0) return null
  return (
    <p className="flex flex-wrap gap-x-3 text-xs">
      {sums.map(({ side, count, quote, tokens }) => (
        <span key={side}>
          <span className={`font-semibold ${side === 'buy' ? 'text-up' : 'text-down'}`}>
            <span aria-hidden="true" className="mr-1 text-[0.65em]">
              {side === 'buy' ? '▲' : '▼'}
            </span>
            {countOf(count, side)}
          </span>{' '}
          of {formatAmount(tokens)} {symbol} for {coin.format(quote)}
        </span>
      ))}
    </p>
  )
}
